import type { Sample, VendorProfile } from './profile.ts';

const sample = (event: Record<string, unknown>): Sample => ({
  body: {
    signature: {
      timestamp: '1750000000',
      token: 'e916e8bfa207755bad243e5cae0ee4ba1bcd1990898a4e5a03',
      signature: '',
    },
    'event-data': { id: 'ev-example', timestamp: 1_750_000_000.25, ...event },
  },
});

/**
 * Mailgun webhooks: https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks. Only time and
 * token are signed, not the event.
 */
export const mailgun: VendorProfile = {
  vendor: 'mailgun',
  about: {
    name: 'Mailgun webhooks',
    docs: 'https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/securing-webhooks',
    setUp: 'The URL as webhook of the domain, for each event that you map.',
    secret: 'The HTTP webhook signing key.',
    answerSeconds: null,
    notes: [
      'The event itself is not signed: whoever has seen one delivery can send any event with its signature for 300 s. Give the URL to nobody, over TLS only.',
      'A delivery that Mailgun repeats later than 300 s after it was signed is refused, unless it is signed anew.',
      'Inbound routes post whole messages as multipart forms: answered 415, which Mailgun repeats for about 8 hours. Store the message and take the event `stored` instead.',
    ],
    unconfirmed: ['Whether retries are signed anew, and how inbound routes sign theirs.'],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    key: 'text',
    encoding: 'hex',
    signed: ['timestamp', { json: ['signature', 'token'] }],
    signature: { json: ['signature', 'signature'] },
    timestamp: { json: ['signature', 'timestamp'] },
  },
  takes: ['json'],
  handshakes: [],
  deliveryId: [{ json: ['signature', 'token'] }],
  eventId: [{ json: ['event-data', 'id'] }, { json: ['signature', 'token'] }],
  event: [{ parts: [{ json: ['event-data', 'event'] }], detail: [{ json: ['event-data', 'severity'] }] }],
  occurredAt: [{ json: ['event-data', 'timestamp'] }],
  accounts: [
    {
      key: 'domain',
      from: [
        { json: ['event-data', 'envelope', 'sending-domain'] },
        { json: ['event-data', 'domain', 'name'] },
      ],
    },
    { key: 'account', from: [{ json: ['event-data', 'account', 'id'] }] },
  ],
  refs: {
    accepted: 'message.status',
    delivered: 'message.status',
    opened: 'message.status',
    clicked: 'message.status',
    failed: 'message.status',
    rejected: 'message.status',
    stored: 'message.received',
    complained: 'item.updated',
    unsubscribed: 'item.updated',
  },
  states: {},
  // Mailgun gives up only at 406; a body that can't be read will not be better later.
  answer: { status: 200, body: '' },
  refusals: { BODY_MALFORMED: 406, BODY_TOO_DEEP: 406 },
  samples: {
    delivered: sample({ event: 'delivered', domain: { name: 'mail.example.com' } }),
    stored: sample({ event: 'stored', domain: { name: 'mail.example.com' } }),
  },
};
