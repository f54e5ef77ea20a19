import type { HmacScheme } from './scheme.ts';

/** Standard Webhooks, symmetric (`v1`): https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
export const standardWebhooks: HmacScheme = {
  kind: 'hmac',
  algorithm: 'sha256',
  key: 'base64',
  encoding: 'base64',
  signed: [{ header: 'webhook-id' }, { literal: '.' }, 'timestamp', { literal: '.' }, 'body'],
  signature: { header: 'webhook-signature', separator: ' ', prefix: 'v1,' },
  timestamp: { header: 'webhook-timestamp' },
};
