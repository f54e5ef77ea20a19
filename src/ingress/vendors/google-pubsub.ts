import type { VendorProfile } from './profile.ts';

/** Google Cloud Pub/Sub push with authentication: https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions */
export const googlePubsub: VendorProfile = {
  vendor: 'google-pubsub',
  about: {
    name: 'Google Cloud Pub/Sub push',
    docs: 'https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions',
    setUp: 'A push subscription with authentication: a service account of its own, and the audience.',
    secret: null,
    answerSeconds: 10,
    notes: [
      'Any Google account can have a token made for your audience: only `params.service_account_email` says that it is your subscription.',
      'The data is the JSON in `message.data`; where that is none, the whole envelope.',
      'The body is not bound to the token.',
    ],
    unconfirmed: ['Unwrapped messages are not taken.'],
  },
  params: {
    service_account_email: { needed: 'always', means: "the e-mail of the subscription's service account" },
    audience: {
      needed: 'never',
      means: 'the audience of the subscription; left out, the URL of this source',
    },
    jwks: { needed: 'never', means: "Google's key set as JSON, where this machine can't fetch it" },
  },
  proof: {
    kind: 'jwt',
    at: { header: 'authorization', prefix: 'Bearer ' },
    algorithm: 'RS256',
    keys: { jwks: 'https://www.googleapis.com/oauth2/v3/certs' },
    issuer: ['https://accounts.google.com', 'accounts.google.com'],
    audience: { param: 'audience' },
    claims: { email: { param: 'service_account_email' }, email_verified: true },
  },
  takes: ['json'],
  handshakes: [],
  inner: { at: ['message', 'data'], as: 'base64', data: true },
  deliveryId: [{ json: ['message', 'messageId'] }, { json: ['message', 'message_id'] }],
  eventId: [{ json: ['message', 'messageId'] }, { json: ['message', 'message_id'] }],
  event: [
    { parts: [{ json: ['message', 'attributes', 'eventType'] }] },
    { when: { at: { json: ['message'] } }, parts: [{ literal: 'message' }] },
  ],
  occurredAt: [{ json: ['message', 'publishTime'] }, { json: ['message', 'publish_time'] }],
  accounts: [{ key: 'subscription', from: [{ json: ['subscription'] }] }],
  refs: { '*': 'new_item' },
  states: {},
  answer: { status: 204, body: '' },
  samples: {},
};
