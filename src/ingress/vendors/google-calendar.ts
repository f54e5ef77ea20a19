import { channelSample } from './channel-sample.ts';
import type { VendorProfile } from './profile.ts';

const events = 'https://www.googleapis.com/calendar/v3/calendars/primary/events?alt=json';

/**
 * Google Calendar's push channels: https://developers.google.com/workspace/calendar/api/guides/push. All that is said
 * stands in headers; the body is empty.
 */
export const googleCalendar: VendorProfile = {
  vendor: 'google-calendar',
  about: {
    name: 'Google Calendar push channels',
    docs: 'https://developers.google.com/workspace/calendar/api/guides/push',
    setUp: 'events.watch with the URL as `address`, a `token`, and an `id` for the channel.',
    secret:
      'The `token` that you give every channel of this source, at most 256 characters. It is the only proof: make it long and random.',
    answerSeconds: null,
    notes: [
      'An event says only that something changed, as headers: read the rest with events.list and a sync token.',
      'The token is sent in clear and nothing is bound to it.',
      'A channel ends at its expiration, in silence, and is not renewed but replaced: open the next one in good time, so for a while both tell of every change.',
      'The first message of a channel (`sync`) is answered and is no event.',
    ],
    unconfirmed: [
      'For how long a channel lives where you do not say (about 7 days).',
      'That 500, 502, 503 and 504 are retried and all else is final.',
    ],
  },
  proof: { kind: 'token', at: { header: 'x-goog-channel-token' } },
  takes: ['json', 'text', 'empty'],
  handshakes: [{ when: [{ at: { header: 'x-goog-resource-state' }, is: 'sync' }], answer: { status: 200 } }],
  headerData: [
    'x-goog-channel-id',
    'x-goog-channel-expiration',
    'x-goog-message-number',
    'x-goog-resource-id',
    'x-goog-resource-uri',
    'x-goog-resource-state',
    'x-goog-changed',
  ],
  deliveryId: [],
  // The numbers of a channel rise; those of two channels have nothing to do with each other.
  eventId: [{ all: [{ header: 'x-goog-channel-id' }, { header: 'x-goog-message-number' }] }],
  event: [{ parts: [{ header: 'x-goog-resource-state' }] }],
  occurredAt: [],
  accounts: [
    { key: 'channel', from: [{ header: 'x-goog-channel-id' }] },
    { key: 'resource', from: [{ header: 'x-goog-resource-id' }] },
  ],
  refs: { exists: 'sync.required', not_exists: 'sync.required' },
  states: {},
  answer: { status: 200, body: '' },
  samples: { exists: channelSample('exists', events), not_exists: channelSample('not_exists', events) },
};
