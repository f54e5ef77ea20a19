import type { VendorProfile } from './profile.ts';

/** SendGrid Event Webhook: https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features */
export const sendgrid: VendorProfile = {
  vendor: 'sendgrid',
  about: {
    name: 'SendGrid Event Webhook',
    docs: 'https://www.twilio.com/docs/sendgrid/for-developers/tracking-events/getting-started-event-webhook-security-features',
    setUp: 'The URL as event webhook, with the signature verification switched on.',
    secret:
      'The verification key that SendGrid shows (a public key, base64). It is no secret, but it is named like one.',
    answerSeconds: null,
    notes: [
      'Nothing in an event says whose account it is: give the source a `binding`, or send `subuser` or `account` as a custom argument.',
    ],
    unconfirmed: [
      'For how long is retried (24 hours).',
      'Whether a retry is signed anew; one that is not is refused after 300 s.',
    ],
  },
  proof: {
    kind: 'ecdsa',
    key: 'p256-spki',
    encoding: 'base64',
    signed: ['timestamp', 'body'],
    signature: { header: 'x-twilio-email-event-webhook-signature' },
    timestamp: { header: 'x-twilio-email-event-webhook-timestamp' },
  },
  takes: ['json'],
  handshakes: [],
  split: [['*']],
  deliveryId: [],
  eventId: [{ json: ['sg_event_id'] }],
  event: [{ parts: [{ json: ['event'] }], detail: [{ json: ['type'] }] }],
  occurredAt: [{ json: ['timestamp'] }],
  accounts: [
    { key: 'subuser', from: [{ json: ['subuser'] }] },
    { key: 'account', from: [{ json: ['account'] }] },
  ],
  refs: {
    processed: 'message.status',
    delivered: 'message.status',
    deferred: 'message.status',
    open: 'message.status',
    click: 'message.status',
    bounce: 'message.status',
    dropped: 'message.status',
    spamreport: 'message.status',
    unsubscribe: 'item.updated',
    group_unsubscribe: 'item.updated',
    group_resubscribe: 'item.updated',
  },
  states: {},
  answer: null,
  samples: {},
};
