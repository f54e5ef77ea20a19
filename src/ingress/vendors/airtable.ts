import type { VendorProfile } from './profile.ts';

/**
 * Airtable webhooks: https://airtable.com/developers/web/api/webhooks-overview. A notification only says that there is
 * something to fetch; many come for one burst of changes.
 */
export const airtable: VendorProfile = {
  vendor: 'airtable',
  about: {
    name: 'Airtable webhooks',
    docs: 'https://airtable.com/developers/web/api/webhooks-overview',
    setUp: 'A webhook made by the API, with the URL as notificationUrl; its notifications switched on.',
    secret: 'The `macSecretBase64` of the webhook, shown once, when it is made.',
    answerSeconds: null,
    switchesOff: {
      on: ['4xx', '5xx'],
      how: 'Notifications are switched off after long failure.',
    },
    notes: [
      'A notification holds no data: the changes are listed from the stored cursor.',
      'Each webhook has a secret of its own; several may stand in one source.',
      'Webhooks end in silence 7 days after they were made, refreshed or last listed.',
    ],
    unconfirmed: [
      'How long is retried before notifications are switched off (`areNotificationsEnabled`).',
      'That a retry repeats the `timestamp`.',
    ],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    key: 'base64',
    encoding: 'hex',
    signed: ['body'],
    signature: { header: 'x-airtable-content-mac', prefix: 'hmac-sha256=' },
  },
  takes: ['json'],
  handshakes: [],
  deliveryId: [],
  eventId: [{ all: [{ json: ['webhook', 'id'] }, { json: ['base', 'id'] }, { json: ['timestamp'] }] }],
  event: [{ when: { at: { json: ['webhook', 'id'] } }, parts: [{ literal: 'notification' }] }],
  occurredAt: [{ json: ['timestamp'] }],
  accounts: [
    { key: 'webhook', from: [{ json: ['webhook', 'id'] }] },
    { key: 'base', from: [{ json: ['base', 'id'] }] },
  ],
  refs: { notification: 'sync.required' },
  states: {},
  // It asks for 200 or 204 and nothing in the body.
  answer: { status: 200, body: '' },
  samples: {
    notification: {
      body: {
        base: { id: 'appEXAMPLE' },
        webhook: { id: 'achEXAMPLE' },
        timestamp: '2026-01-01T00:00:00.000Z',
      },
    },
  },
};
