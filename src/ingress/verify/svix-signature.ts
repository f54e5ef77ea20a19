import type { HmacScheme } from './scheme.ts';
import { standardWebhooks } from './standard-webhooks.ts';

/** Standard Webhooks under the names that Svix had for the headers before: https://docs.svix.com/receiving/verifying-payloads/how-manual */
export const svixSignature: HmacScheme = {
  ...standardWebhooks,
  signed: [{ header: 'svix-id' }, { literal: '.' }, 'timestamp', { literal: '.' }, 'body'],
  signature: { header: 'svix-signature', separator: ' ', prefix: 'v1,' },
  timestamp: { header: 'svix-timestamp' },
};
