import type { Sample, VendorProfile } from './profile.ts';

const sample = (event: string, data: Record<string, unknown> = {}): Sample => ({
  body: {
    event,
    apiVersion: 'v2.1',
    uri: '/restapi/v2.1/accounts/example/envelopes/example',
    retryCount: 0,
    configurationId: 1,
    generatedDateTime: '2026-01-01T00:00:00.000Z',
    data: {
      accountId: '00000000-0000-4000-8000-0000000000a1',
      userId: '00000000-0000-4000-8000-0000000000b1',
      envelopeId: '00000000-0000-4000-8000-0000000000c1',
      ...data,
    },
  },
});

/**
 * DocuSign Connect: https://developers.docusign.com/platform/webhooks/connect/validate/. Every active key signs into a
 * header of its own; its number says nothing lasting about which key it is.
 */
export const docusign: VendorProfile = {
  vendor: 'docusign',
  about: {
    name: 'DocuSign Connect',
    docs: 'https://developers.docusign.com/platform/webhooks/connect/validate/',
    setUp:
      'A Connect configuration with the URL, data format REST v2.1 (JSON), delivery mode “send individual messages”, and “Include HMAC Signature” ticked.',
    secret: 'A Connect key of the account; of several active ones any.',
    answerSeconds: 100,
    notes: [
      'Without “Include HMAC Signature” nothing is signed, and all is refused.',
      'The legacy XML format is not taken. Leave documents out of the message: they make it larger than `http.body_limit`.',
      'At most 16 signature headers are compared; an account may have 100 keys.',
      'Nothing is sent when consent is withdrawn: a 401 of the API is the sign.',
      'No time is signed.',
    ],
    unconfirmed: [
      'How and for how long is retried; that a retry raises `retryCount` and keeps `generatedDateTime`, by which it is the same event.',
    ],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    // The text of the key, though it looks like base64.
    key: 'text',
    encoding: 'base64',
    signed: ['body'],
    signature: { headers: /^x-docusign-signature-\d{1,3}$/, first: 'x-docusign-signature-1' },
  },
  takes: ['json'],
  handshakes: [],
  deliveryId: [],
  eventId: [
    {
      all: [
        { json: ['event'] },
        { json: ['data', 'envelopeId'] },
        { json: ['data', 'recipientId'] },
        { json: ['configurationId'] },
        { json: ['generatedDateTime'] },
      ],
    },
  ],
  event: [{ parts: [{ json: ['event'] }] }],
  occurredAt: [{ json: ['generatedDateTime'] }],
  accounts: [
    { key: 'account', from: [{ json: ['data', 'accountId'] }] },
    { key: 'user', from: [{ json: ['data', 'userId'] }] },
  ],
  refs: {
    'envelope-sent': 'new_item',
    'envelope-completed': 'document.completed',
    'envelope-deleted': 'item.deleted',
    'envelope-purge': 'item.deleted',
    'envelope-*': 'item.updated',
    'recipient-*': 'item.updated',
  },
  states: {},
  answer: { status: 200, body: '' },
  samples: {
    'envelope-sent': sample('envelope-sent'),
    'envelope-completed': sample('envelope-completed'),
    'envelope-declined': sample('envelope-declined'),
    'recipient-completed': sample('recipient-completed', { recipientId: '1' }),
  },
};
