import type { VendorProfile } from './profile.ts';

/** Microsoft Graph change notifications: https://learn.microsoft.com/en-us/graph/change-notifications-delivery-webhooks */
export const microsoftGraph: VendorProfile = {
  vendor: 'microsoft-graph',
  about: {
    name: 'Microsoft Graph change and lifecycle notifications',
    docs: 'https://learn.microsoft.com/en-us/graph/change-notifications-delivery-webhooks',
    setUp:
      'The URL as notificationUrl and lifecycleNotificationUrl of each subscription, with a clientState; for resource data also your certificate and its encryptionCertificateId.',
    secret: 'The clientState of the subscriptions, at most 128 characters.',
    answerSeconds: 10,
    notes: [
      'Each notification of a batch must bear a clientState of ours; one that does not is left out alone and counted.',
      'Refused batches are answered 202 as Microsoft asks, so that a stranger learns nothing and is sent nothing again: with a wrong clientState here everything is lost without an error there. `hcp_sense_deliveries_total{code="SIGNATURE_MISMATCH"}` shows it.',
      'With resource data (`encryptedContent`) all of `validationTokens` must be good, and one must be of the tenant that the notification names. The data is the notification as it was sent, in which the decrypted resource, character by character, is the value of `encryptedContent`.',
      'A notification whose resource data can not be opened (no private key for its certificate, another key, changed content) is dropped alone as `announcement_invalid`, which is a warning in the log and in the list of drops.',
      'While a certificate is being replaced give both private keys.',
      'The clientState stands in every notification and so in the data of its record: who must not speak for another gets a source and a clientState of its own.',
      'One without id and `@odata.etag` may look like the one before it; it is recorded each time it is sent.',
      'Subscriptions expire in silence.',
      'National clouds, which have other issuers and keys, are not taken with resource data.',
    ],
    unconfirmed: [
      'That lifecycle notifications of every resource bear the clientState.',
      'Which apps get tokens of version 1 (`appid`) and which of version 2 (`azp`): both are taken.',
    ],
  },
  params: {
    app_id: {
      needed: 'never',
      means: 'for resource data: the id of the app that subscribes; several separated by blanks',
    },
    'private_key.*': {
      needed: 'never',
      with: 'app_id',
      means:
        'for resource data: the RSA private key, PEM, of the certificate whose encryptionCertificateId follows the dot',
    },
    jwks: { needed: 'never', means: "Microsoft's key set as JSON, where this machine can't fetch it" },
  },
  proof: {
    kind: 'allOf',
    of: [
      { kind: 'token', at: { item: ['clientState'] } },
      {
        kind: 'jwt',
        at: { json: ['validationTokens'] },
        algorithm: 'RS256',
        keys: { jwks: 'https://login.microsoftonline.com/common/discovery/v2.0/keys' },
        issuer:
          /^https:\/\/(?:sts\.windows\.net|login\.microsoftonline\.com)\/(?<tid>[0-9a-f-]{36})\/(?:v2\.0)?$/,
        audience: { param: 'app_id', own: true },
        // Microsoft's own app that publishes notifications.
        anyClaim: { names: ['appid', 'azp'], is: '0bf30f3b-4a52-48df-9a82-234910c4a086' },
        items: { holding: ['encryptedContent'], claim: 'tid', is: ['tenantId'] },
      },
    ],
  },
  takes: ['json'],
  handshakes: [
    {
      unproven: true,
      when: [{ at: { query: 'validationToken' } }],
      answer: { status: 200, type: 'text/plain', body: { query: 'validationToken' } },
    },
  ],
  split: [['value', '*']],
  sealed: { member: 'encryptedContent', form: 'microsoft-graph', keys: 'private_key.' },
  repeats: true,
  deliveryId: [],
  eventId: [
    { json: ['id'] },
    {
      all: [
        { json: ['resourceData', '@odata.etag'] },
        { json: ['subscriptionId'] },
        { json: ['resource'] },
        { json: ['changeType'] },
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
  refusals: { SIGNATURE_MISSING: 202, SIGNATURE_MISMATCH: 202, TIMESTAMP_OUTSIDE_WINDOW: 202 },
  samples: {},
};
