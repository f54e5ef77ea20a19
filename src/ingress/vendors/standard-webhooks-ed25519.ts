import type { VendorProfile } from './profile.ts';
import { standardWebhooks } from './standard-webhooks.ts';

/**
 * Standard Webhooks signed with a private key (`v1a`). A vendor of its own, because a public key that were also tried as a
 * shared secret would let everybody sign who knows it.
 */
export const standardWebhooksEd25519: VendorProfile = {
  ...standardWebhooks,
  vendor: 'standard-webhooks-ed25519',
  about: {
    ...standardWebhooks.about,
    name: 'Standard Webhooks with public keys, for senders with payloads of their own',
    secret: 'The public key of the sender, `whpk_` and base64.',
    notes: (standardWebhooks.about.notes ?? []).slice(0, 2),
  },
  proof: {
    kind: 'ed25519',
    key: 'ed25519-base64',
    encoding: 'base64',
    signed: [{ header: 'webhook-id' }, { literal: '.' }, 'timestamp', { literal: '.' }, 'body'],
    signature: { header: 'webhook-signature', separator: ' ', prefix: 'v1a,' },
    timestamp: { header: 'webhook-timestamp' },
  },
  samples: {},
};
