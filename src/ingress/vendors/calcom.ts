import type { Sample, VendorProfile } from './profile.ts';

const sample = (triggerEvent: string): Sample => ({
  body: {
    triggerEvent,
    createdAt: '2026-01-01T00:00:00.000Z',
    payload: {
      uid: 'bk_example',
      title: 'Lunch with Ada',
      startTime: '2026-01-02T12:00:00Z',
      endTime: '2026-01-02T12:30:00Z',
      organizer: { id: 5, name: 'Grace', email: 'grace@example.com' },
      attendees: [{ name: 'Ada', email: 'ada@example.com' }],
    },
  },
});

/**
 * Cal.com webhooks: https://cal.com/docs/developing/guides/automation/webhooks. Without a secret the signature's header is
 * there all the same and holds a text, which no secret yields.
 */
export const calcom: VendorProfile = {
  vendor: 'calcom',
  about: {
    name: 'Cal.com webhooks',
    docs: 'https://cal.com/docs/developing/guides/automation/webhooks',
    setUp: 'A webhook with a secret and the triggers that you map; no custom payload template.',
    secret: 'The secret of the webhook.',
    answerSeconds: null,
    notes: [
      'A custom payload template may leave out what events are named and told apart by.',
      'There is no id of an event: booking, trigger and time are one together.',
      'The organizer’s e-mail is the only account key: give the source a `binding` where that may change.',
      'Cal.com follows no redirects, and is not known to retry.',
    ],
    unconfirmed: [
      'That the test from its settings has the trigger PING.',
      'That meetings of every kind have `payload.uid`; without it an event is told by its bytes.',
      'Self-hosted instances of other versions.',
    ],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    key: 'text',
    encoding: 'hex',
    signed: ['body'],
    signature: { header: 'x-cal-signature-256' },
  },
  // Templates that are no JSON are sent as a form.
  takes: ['json', 'form'],
  handshakes: [
    {
      when: [{ at: { json: ['triggerEvent'] }, is: 'PING' }],
      answer: { status: 200, body: { literal: '' } },
    },
  ],
  deliveryId: [],
  eventId: [{ all: [{ json: ['payload', 'uid'] }, { json: ['triggerEvent'] }, { json: ['createdAt'] }] }],
  event: [{ parts: [{ json: ['triggerEvent'] }] }],
  occurredAt: [{ json: ['createdAt'] }],
  accounts: [{ key: 'organizer', from: [{ json: ['payload', 'organizer', 'email'] }] }],
  refs: {
    BOOKING_CREATED: 'booking.created',
    BOOKING_REQUESTED: 'new_item',
    BOOKING_RESCHEDULED: 'item.updated',
    BOOKING_REJECTED: 'booking.canceled',
    BOOKING_CANCELLED: 'booking.canceled',
    BOOKING_PAID: 'payment.succeeded',
    MEETING_ENDED: 'run.completed',
    RECORDING_READY: 'file.created',
    FORM_SUBMITTED: 'form.submitted',
  },
  states: {},
  answer: null,
  samples: {
    BOOKING_CREATED: sample('BOOKING_CREATED'),
    BOOKING_RESCHEDULED: sample('BOOKING_RESCHEDULED'),
    BOOKING_CANCELLED: sample('BOOKING_CANCELLED'),
    PING: sample('PING'),
  },
};
