import type { Sample, VendorProfile } from './profile.ts';

const sample = (event: string, payload: Record<string, unknown>): Sample => ({
  body: {
    event,
    created_at: '2026-01-01T00:00:00.000000Z',
    created_by: 'https://api.calendly.com/users/EXAMPLE',
    payload,
  },
});

const invitee = (status: string) => ({
  uri: 'https://api.calendly.com/scheduled_events/EXAMPLE/invitees/EXAMPLE',
  email: 'invitee@example.com',
  name: 'An Invitee',
  status,
  scheduled_event: {
    uri: 'https://api.calendly.com/scheduled_events/EXAMPLE',
    name: 'Lunch',
    start_time: '2026-01-02T12:00:00.000000Z',
    event_memberships: [{ user: 'https://api.calendly.com/users/EXAMPLE' }],
  },
});

/** Calendly webhooks: https://developer.calendly.com/api-docs/4c305798a61d3-webhook-signatures */
export const calendly: VendorProfile = {
  vendor: 'calendly',
  about: {
    name: 'Calendly webhooks',
    docs: 'https://developer.calendly.com/api-docs/4c305798a61d3-webhook-signatures',
    setUp: 'A webhook subscription by the API, with the URL and a signing key of your choice.',
    secret: "The subscription's signing key, or the one of the OAuth app that made it.",
    answerSeconds: null,
    switchesOff: {
      on: ['4xx', '5xx'],
      how: 'After 24 hours of failures the subscription is disabled without notice and must be made anew.',
    },
    notes: [
      'After 24 hours of failures a subscription is disabled without a word and must be made anew: poll its `state`.',
      'A reschedule is one `invitee.canceled` and one `invitee.created`.',
      'A subscription of scope `user` does not hear of the events of others.',
    ],
    unconfirmed: [
      'Whether a retry is signed anew; one that is not is refused after 300 s (the sample of Calendly allows 180 s).',
      'How soon the answer is wanted.',
    ],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    key: 'text',
    encoding: 'hex',
    signed: ['timestamp', { literal: '.' }, 'body'],
    signature: { header: 'calendly-webhook-signature', separator: ',', prefix: 'v1=' },
    timestamp: { item: 't=' },
  },
  takes: ['json'],
  handshakes: [],
  deliveryId: [],
  eventId: [{ all: [{ json: ['event'] }, { json: ['payload', 'uri'] }, { json: ['created_at'] }] }],
  event: [{ parts: [{ json: ['event'] }] }],
  occurredAt: [{ json: ['created_at'] }],
  accounts: [
    { key: 'user', from: [{ json: ['created_by'] }] },
    {
      key: 'host',
      from: [{ json: ['payload', 'scheduled_event', 'event_memberships', '0', 'user'] }],
    },
  ],
  refs: {
    'invitee.created': 'booking.created',
    'invitee.canceled': 'booking.canceled',
    'invitee_no_show.*': 'item.updated',
    'routing_form_submission.created': 'form.submitted',
  },
  states: {},
  answer: null,
  samples: {
    'invitee.created': sample('invitee.created', invitee('active')),
    'invitee.canceled': sample('invitee.canceled', invitee('canceled')),
    'routing_form_submission.created': sample('routing_form_submission.created', {
      uri: 'https://api.calendly.com/routing_form_submissions/EXAMPLE',
      questions_and_answers: [{ question: 'How many of you?', answer: '3' }],
    }),
  },
};
