import { googlePubsub } from './google-pubsub.ts';
import type { VendorProfile } from './profile.ts';

/** Gmail's `users.watch` over Pub/Sub: https://developers.google.com/workspace/gmail/api/guides/push */
export const gmail: VendorProfile = {
  ...googlePubsub,
  vendor: 'gmail',
  about: {
    ...googlePubsub.about,
    name: 'Gmail push notifications through Google Pub/Sub',
    docs: 'https://developers.google.com/workspace/gmail/api/guides/push',
    setUp:
      'users.watch on a topic, and a push subscription of it with authentication: a service account of its own, and the audience.',
    notes: [
      'An event says only that something changed, as `{"emailAddress","historyId"}`: read the rest with history.list.',
      'A watch ends after 7 days without renewal, in silence.',
      ...(googlePubsub.about.notes ?? []),
    ],
    unconfirmed: ['The 7 days.'],
  },
  event: [{ when: { at: { inner: ['historyId'] } }, parts: [{ literal: 'history' }] }],
  accounts: [
    { key: 'email', from: [{ inner: ['emailAddress'] }] },
    { key: 'subscription', from: [{ json: ['subscription'] }] },
  ],
  refs: { history: 'sync.required' },
};
