import type { VendorProfile } from './profile.ts';

/** Microsoft Graph change notifications: https://learn.microsoft.com/en-us/graph/change-notifications-delivery-webhooks */
export const microsoftGraph: VendorProfile = {
  vendor: 'microsoft-graph',
  about: {
    name: 'Microsoft Graph change and lifecycle notifications',
    docs: 'https://learn.microsoft.com/en-us/graph/change-notifications-delivery-webhooks',
    setUp:
      'The URL as notificationUrl and lifecycleNotificationUrl of each subscription, with a clientState.',
    secret: 'The clientState of the subscriptions, at most 128 characters.',
    answerSeconds: 10,
    notes: [
      'Each notification of a batch must bear a clientState of ours; one that does not is dropped alone.',
      'Refused batches are answered 202 as Microsoft asks, so that a stranger learns nothing and is sent nothing again.',
      'Encrypted resource data is passed on as it came.',
      'Subscriptions expire in silence.',
    ],
    unconfirmed: ['That lifecycle notifications of every resource bear the clientState.'],
  },
  proof: { kind: 'token', at: { item: ['clientState'] } },
  takes: ['json'],
  handshakes: [
    {
      unproven: true,
      when: [{ at: { query: 'validationToken' } }],
      answer: { status: 200, type: 'text/plain', body: { query: 'validationToken' } },
    },
  ],
  split: [['value', '*']],
  deliveryId: [],
  eventId: [
    { json: ['id'] },
    {
      all: [
        { json: ['subscriptionId'] },
        { json: ['resource'] },
        { json: ['changeType'] },
        { json: ['resourceData', '@odata.etag'] },
      ],
    },
  ],
  event: [{ parts: [{ json: ['lifecycleEvent'] }] }, { parts: [{ json: ['changeType'] }] }],
  occurredAt: [],
  accounts: [
    { key: 'subscription', from: [{ json: ['subscriptionId'] }] },
    { key: 'tenant', from: [{ json: ['tenantId'] }, { json: ['organizationId'] }] },
  ],
  refs: {
    created: 'new_item',
    updated: 'item.updated',
    deleted: 'item.deleted',
    reauthorizationRequired: 'binding.degraded',
    subscriptionRemoved: 'binding.degraded',
    missed: 'binding.degraded',
  },
  states: {
    reauthorizationRequired: 'reauth_required',
    subscriptionRemoved: 'subscription_removed',
    missed: 'deliveries_missed',
  },
  answer: { status: 202, body: '' },
  refusals: { SIGNATURE_MISSING: 202, SIGNATURE_MISMATCH: 202 },
  samples: {},
};
