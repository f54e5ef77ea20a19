import type { Sample, VendorProfile } from './profile.ts';

const response = (event_type: string): Sample => ({
  body: {
    event_id: '01EXAMPLE0000000000000000',
    event_type,
    form_response: {
      form_id: 'lT4Z3j',
      token: 'a3a12ec67a1365927098a606107fac15',
      landed_at: '2026-01-01T00:00:00Z',
      submitted_at: '2026-01-01T00:01:00Z',
      answers: [{ type: 'text', text: 'Lunch at noon', field: { id: 'f1', type: 'short_text' } }],
    },
  },
});

/** Typeform webhooks: https://www.typeform.com/developers/webhooks/secure-your-webhooks/ */
export const typeform: VendorProfile = {
  vendor: 'typeform',
  about: {
    name: 'Typeform webhooks',
    docs: 'https://www.typeform.com/developers/webhooks/secure-your-webhooks/',
    setUp: 'The URL as webhook of the form, with a secret, switched on.',
    secret: 'The secret of the webhook; each webhook may have its own.',
    answerSeconds: 30,
    notes: [
      'Without a secret at Typeform nothing is signed, and all is refused.',
      'A 404 or 410 switches the webhook off at once, and a source that is not configured is a 404: change the URL at Typeform before you rename or remove the source.',
      '429, 408, 503 and 423 are retried every 2 to 3 minutes for 10 hours.',
      'No time is signed; a repeated response is the same event by its `event_id`.',
    ],
    unconfirmed: ['How often other failures, such as a 401, are retried.'],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    key: 'text',
    // Base64, though the prefix is the one that elsewhere stands before hex.
    encoding: 'base64',
    signed: ['body'],
    signature: { header: 'typeform-signature', prefix: 'sha256=' },
  },
  takes: ['json'],
  handshakes: [],
  deliveryId: [{ json: ['event_id'] }],
  eventId: [{ json: ['event_id'] }],
  event: [{ parts: [{ json: ['event_type'] }] }],
  occurredAt: [{ json: ['form_response', 'submitted_at'] }, { json: ['form_response', 'landed_at'] }],
  accounts: [{ key: 'form', from: [{ json: ['form_response', 'form_id'] }] }],
  refs: { form_response: 'form.submitted', form_response_partial: 'item.updated' },
  states: {},
  answer: { status: 200, body: '' },
  samples: {
    form_response: response('form_response'),
    form_response_partial: response('form_response_partial'),
  },
};
