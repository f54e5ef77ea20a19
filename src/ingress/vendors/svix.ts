import { standardWebhooks } from '../verify/standard-webhooks.ts';
import { svixSignature } from '../verify/svix-signature.ts';
import type { VendorProfile } from './profile.ts';

/**
 * Any sender that delivers through Svix: https://docs.svix.com/receiving/verifying-payloads/how-manual. Its ids and times
 * are signed; a retry repeats the id and is signed anew.
 */
export const svix: VendorProfile = {
  vendor: 'svix',
  about: {
    name: 'Svix, for senders that deliver through it',
    docs: 'https://docs.svix.com/receiving/introduction',
    setUp: "An endpoint in the sender's webhook portal, with the event types that you map.",
    secret: 'The signing secret of the endpoint, `whsec_` and base64.',
    answerSeconds: 15,
    switchesOff: {
      on: ['4xx', '5xx'],
      how: 'An endpoint that only fails for five days is disabled.',
    },
    notes: [
      'Events are named by `type` of the body, else by `event_type`, as the sender writes it: say in `refs` what maps to what.',
      'The payload is the sender’s own and names no account that we could know: give the source a `binding`.',
      'An endpoint that only fails for five days is switched off.',
    ],
  },
  proof: {
    kind: 'choose',
    // Svix's own verifier takes either family and looks at this one first. The id decides, because it is also the event's.
    of: [
      { when: [{ at: { header: 'svix-id' } }], proof: svixSignature },
      { when: [], proof: standardWebhooks },
    ],
  },
  takes: ['json'],
  handshakes: [],
  deliveryId: [{ header: 'svix-id' }, { header: 'webhook-id' }],
  eventId: [{ header: 'svix-id' }, { header: 'webhook-id' }],
  event: [{ parts: [{ json: ['type'] }] }, { parts: [{ json: ['event_type'] }] }],
  occurredAt: [{ json: ['timestamp'] }, { json: ['created_at'] }],
  accounts: [],
  refs: {},
  states: {},
  answer: null,
  samples: {
    'user.created': { body: { type: 'user.created', data: { id: 'user_example' } } },
  },
};
