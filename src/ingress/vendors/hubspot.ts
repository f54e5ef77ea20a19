import type { Sample, VendorProfile } from './profile.ts';

const events = (...types: string[]): Sample => ({
  body: types.map((subscriptionType, index) => ({
    eventId: 100 + index,
    subscriptionId: 7,
    portalId: 62515,
    appId: 5,
    occurredAt: 1_750_000_000_000,
    subscriptionType,
    attemptNumber: 0,
    objectId: 123,
  })),
});

/** HubSpot webhooks: https://developers.hubspot.com/docs/apps/legacy-apps/authentication/validating-requests */
export const hubspot: VendorProfile = {
  vendor: 'hubspot',
  about: {
    name: 'HubSpot webhooks',
    docs: 'https://developers.hubspot.com/docs/apps/legacy-apps/authentication/validating-requests',
    setUp: 'The URL as target of the app, exactly as `http.public_url` has it; signatures of version 3.',
    secret: 'The client secret of the app.',
    answerSeconds: 5,
    notes: [
      'Versions 1 and 2 are bare hashes and refused, unless `params.scheme` asks for one of them.',
      'Order within a batch is not kept by HubSpot.',
    ],
    unconfirmed: [
      'For how long is retried: 24 hours or 3 days.',
      'That an uninstalled app is told; it seems to be silent.',
    ],
  },
  params: {
    scheme: { needed: 'never', means: '`v1` or `v2`, to take that weak signature instead of version 3' },
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    key: 'text',
    encoding: 'base64',
    signed: ['method', { url: 'hubspot' }, 'body', 'timestamp'],
    signature: { header: 'x-hubspot-signature-v3' },
    timestamp: { header: 'x-hubspot-request-timestamp', unit: 'ms' },
  },
  weakProofs: {
    v1: { kind: 'hash', signed: ['body'], signature: { header: 'x-hubspot-signature' } },
    v2: {
      kind: 'hash',
      signed: ['method', { url: 'registered' }, 'body'],
      signature: { header: 'x-hubspot-signature' },
    },
  },
  takes: ['json'],
  handshakes: [],
  split: [['*']],
  deliveryId: [],
  // `eventId` alone is not promised to be unique.
  eventId: [
    {
      all: [
        { json: ['eventId'] },
        { json: ['subscriptionId'] },
        { json: ['objectId'] },
        { json: ['occurredAt'] },
      ],
    },
  ],
  event: [{ parts: [{ json: ['subscriptionType'] }], detail: [{ json: ['propertyName'] }] }],
  occurredAt: [{ json: ['occurredAt'] }],
  accounts: [
    { key: 'portal', from: [{ json: ['portalId'] }] },
    { key: 'app', from: [{ json: ['appId'] }] },
  ],
  refs: {
    'contact.creation': 'new_item',
    'company.creation': 'new_item',
    'deal.creation': 'new_item',
    'ticket.creation': 'new_item',
    'product.creation': 'new_item',
    'line_item.creation': 'new_item',
    'object.creation': 'new_item',
    'contact.*': 'item.updated',
    'company.*': 'item.updated',
    'deal.*': 'item.updated',
    'ticket.*': 'item.updated',
    'product.*': 'item.updated',
    'line_item.*': 'item.updated',
    'object.*': 'item.updated',
    'contact.deletion': 'item.deleted',
    'contact.privacyDeletion': 'item.deleted',
    'company.deletion': 'item.deleted',
    'deal.deletion': 'item.deleted',
    'ticket.deletion': 'item.deleted',
    'product.deletion': 'item.deleted',
    'line_item.deletion': 'item.deleted',
    'object.deletion': 'item.deleted',
    'conversation.newMessage': 'message.received',
    'conversation.*': 'item.updated',
  },
  states: {},
  answer: null,
  samples: {
    'contact.creation': events('contact.creation'),
    'contact.deletion': events('contact.deletion'),
  },
};
