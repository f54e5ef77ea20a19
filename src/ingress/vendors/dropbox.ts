import type { VendorProfile } from './profile.ts';

/**
 * Dropbox webhooks: https://www.dropbox.com/developers/reference/webhooks. A notice says only in which accounts something
 * changed, and two notices may be the same bytes.
 */
export const dropbox: VendorProfile = {
  vendor: 'dropbox',
  about: {
    name: 'Dropbox webhooks',
    docs: 'https://www.dropbox.com/developers/reference/webhooks',
    setUp: 'The URL as webhook URI of the app, once this runs: Dropbox asks it at once.',
    secret: 'The app secret.',
    answerSeconds: 10,
    switchesOff: {
      on: ['4xx', '5xx'],
      how: 'A high rate of failures disables the webhook.',
    },
    notes: [
      'An event says only that something changed, as the id of the account: read the rest with list_folder/continue.',
      'A notice carries neither id nor time: each delivery is an event for each of its accounts, a repeated one as well.',
      'Nothing is sent when the link is removed: a 401 of the API is the sign.',
      'Apps of whole teams, whose notices list members by team, are not mapped.',
    ],
    unconfirmed: ['That many failures switch the webhook off; a delivery is retried for about 10 minutes.'],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    key: 'text',
    encoding: 'hex',
    signed: ['body'],
    signature: { header: 'x-dropbox-signature' },
  },
  takes: ['json'],
  handshakes: [
    {
      method: 'GET',
      unproven: true,
      when: [{ at: { query: 'challenge' } }],
      answer: { status: 200, type: 'text/plain', body: { query: 'challenge' } },
    },
  ],
  split: [['list_folder', 'accounts', '*']],
  deliveryId: [],
  eventId: [],
  repeats: true,
  event: [
    { when: { at: { whole: ['list_folder', 'accounts'] } }, parts: [{ literal: 'list_folder' }] },
    { when: { at: { whole: ['delta'] } }, parts: [{ literal: 'delta' }] },
  ],
  occurredAt: [],
  accounts: [{ key: 'account', from: [{ json: [] }] }],
  refs: { list_folder: 'sync.required' },
  states: {},
  answer: { status: 200, body: '' },
  samples: {
    list_folder: { body: { list_folder: { accounts: ['dbid:AAEXAMPLE'] }, delta: { users: [12345678] } } },
  },
};
