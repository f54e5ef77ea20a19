import { svixSignature } from '../verify/svix-signature.ts';
import type { Sample, VendorProfile } from './profile.ts';

const email = (type: string): Sample => ({
  body: {
    type,
    created_at: '2026-01-01T00:00:00.000Z',
    data: {
      email_id: '00000000-0000-4000-8000-000000000001',
      from: 'hello@example.com',
      to: ['ada@example.com'],
      subject: 'Lunch on Friday?',
    },
  },
});

/** Resend webhooks, delivered through Svix: https://resend.com/docs/webhooks/introduction */
export const resend: VendorProfile = {
  vendor: 'resend',
  about: {
    name: 'Resend webhooks',
    docs: 'https://resend.com/docs/webhooks/introduction',
    setUp: 'A webhook with the event types that you map.',
    secret: 'The signing secret of the webhook, `whsec_` and base64.',
    answerSeconds: 15,
    switchesOff: {
      on: ['4xx', '5xx'],
      how: 'An endpoint that only fails for five days is disabled.',
    },
    notes: [
      'Nothing in an event says whose it is: give the source a `binding`.',
      '`email.received` holds no bodies and no attachments: they are to be fetched.',
    ],
    unconfirmed: ['The 15 seconds, which are those of Svix.'],
  },
  proof: svixSignature,
  takes: ['json'],
  handshakes: [],
  deliveryId: [{ header: 'svix-id' }],
  // A replay by hand keeps it.
  eventId: [{ header: 'svix-id' }],
  event: [{ parts: [{ json: ['type'] }] }],
  occurredAt: [{ json: ['created_at'] }],
  accounts: [],
  refs: {
    'email.received': 'message.received',
    'email.*': 'message.status',
    'contact.created': 'new_item',
    'contact.updated': 'item.updated',
    'contact.deleted': 'item.deleted',
    'domain.created': 'new_item',
    'domain.updated': 'item.updated',
    'domain.deleted': 'item.deleted',
  },
  states: {},
  answer: null,
  samples: {
    'email.received': email('email.received'),
    'email.delivered': email('email.delivered'),
    'email.bounced': email('email.bounced'),
    'contact.created': {
      body: {
        type: 'contact.created',
        created_at: '2026-01-01T00:00:00.000Z',
        data: { id: '00000000-0000-4000-8000-000000000002', email: 'ada@example.com' },
      },
    },
  },
};
