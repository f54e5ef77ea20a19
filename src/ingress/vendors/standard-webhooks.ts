import { standardWebhooks as signature } from '../verify/standard-webhooks.ts';
import type { VendorProfile } from './profile.ts';

/**
 * Any sender of Standard Webhooks that sends a payload of its own, in place of our announcements (`type: webhook`):
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 */
export const standardWebhooks: VendorProfile = {
  vendor: 'standard-webhooks',
  about: {
    name: 'Standard Webhooks, for senders with payloads of their own',
    docs: 'https://www.standardwebhooks.com/',
    setUp: 'An endpoint at the sender, with the event types that you map.',
    secret: 'The secret of the endpoint, `whsec_` and base64.',
    answerSeconds: 15,
    notes: [
      'Events are named by `type` of the body, as the sender writes it: say in `refs` what maps to what.',
      'The payload is the sender’s own and names no account that we could know: give the source a `binding`.',
      'Senders that sign with a private key (`v1a`): vendor `standard-webhooks-ed25519`.',
    ],
  },
  proof: signature,
  takes: ['json'],
  handshakes: [],
  deliveryId: [{ header: 'webhook-id' }],
  eventId: [{ header: 'webhook-id' }],
  event: [{ parts: [{ json: ['type'] }] }],
  occurredAt: [{ json: ['timestamp'] }],
  accounts: [],
  refs: {},
  states: {},
  answer: null,
  samples: {
    'invoice.paid': {
      body: { type: 'invoice.paid', timestamp: '2026-01-01T00:00:00.000Z', data: { id: 'inv_example' } },
    },
  },
};
