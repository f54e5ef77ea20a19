import type { HmacScheme } from './hmac-scheme.ts';

/** Standard Webhooks, symmetric (`v1`): https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
export const standardWebhooks: HmacScheme = {
  kind: 'hmac',
  algorithm: 'sha256',
  key: 'base64',
  signed: [{ header: 'webhook-id' }, { literal: '.' }, 'timestamp', { literal: '.' }, 'body'],
  signature: { header: 'webhook-signature', separator: ' ', prefix: 'v1,', encoding: 'base64' },
  timestamp: { header: 'webhook-timestamp' },
};
