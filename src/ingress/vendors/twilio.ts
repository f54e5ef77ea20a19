import type { HmacScheme, Proof, UrlForm } from '../verify/scheme.ts';
import type { Sample, VendorProfile } from './profile.ts';

const sign = (algorithm: HmacScheme['algorithm'], url: UrlForm, form: boolean): HmacScheme => ({
  kind: 'hmac',
  algorithm,
  key: 'text',
  encoding: 'base64',
  signed: form ? [{ url }, 'formSorted'] : [{ url }],
  signature: { header: 'x-twilio-signature' },
});

/** SHA-1 unless a shared key signs; some of Twilio's senders write the port out. Each needs the secret. */
const anySigned = (form: boolean): Proof => ({
  kind: 'anyOf',
  of: (['sha1', 'sha256'] as const).flatMap((algorithm) =>
    (['registered', 'with-port'] as const).map((url) => sign(algorithm, url, form)),
  ),
});

const sample = (body: Record<string, string>): Sample => ({
  body: { AccountSid: 'AC00000000000000000000000000000000', ...body },
});

/**
 * Twilio messaging and voice callbacks: https://www.twilio.com/docs/usage/webhooks/webhooks-security. Forms are signed
 * with the URL; of a JSON body the URL carries the hash.
 */
export const twilio: VendorProfile = {
  vendor: 'twilio',
  about: {
    name: 'Twilio messaging and voice callbacks',
    docs: 'https://www.twilio.com/docs/usage/webhooks/webhooks-security',
    setUp: 'The URL as webhook of the number or service, with POST; exactly as `http.public_url` has it.',
    secret: 'The auth token of the account (primary and secondary while you change over), or the shared key.',
    answerSeconds: 15,
    notes: [
      'The answer is an empty TwiML document: nothing is said or sent back.',
      'A repeated callback of the same status is one event; no time is signed.',
      'GET callbacks are answered 405: they would put numbers and texts into the access logs of everything between. POST is what Twilio does unless it is told otherwise.',
    ],
    unconfirmed: ['Whether every retry carries the same I-Twilio-Idempotency-Token.'],
  },
  proof: {
    kind: 'choose',
    of: [
      {
        when: [{ at: { query: 'bodySHA256' } }],
        proof: {
          kind: 'allOf',
          of: [anySigned(false), { kind: 'body-digest', at: { query: 'bodySHA256' } }],
        },
      },
      { when: [], proof: anySigned(true) },
    ],
  },
  takes: ['json', 'form'],
  handshakes: [],
  deliveryId: [{ header: 'i-twilio-idempotency-token' }],
  eventId: [
    { all: [{ json: ['MessageSid'] }, { json: ['MessageStatus'] }, { json: ['SmsStatus'] }] },
    { all: [{ json: ['RecordingSid'] }, { json: ['RecordingStatus'] }] },
    { all: [{ json: ['CallSid'] }, { json: ['CallStatus'] }, { json: ['SequenceNumber'] }] },
  ],
  event: [
    {
      when: { at: { json: ['MessageStatus'] } },
      parts: [{ literal: 'message.status' }],
      detail: [{ json: ['MessageStatus'] }],
    },
    { when: { at: { json: ['MessageSid'] } }, parts: [{ literal: 'message.received' }] },
    {
      when: { at: { json: ['RecordingSid'] } },
      parts: [{ literal: 'recording' }],
      detail: [{ json: ['RecordingStatus'] }],
    },
    {
      when: { at: { json: ['CallSid'] } },
      parts: [{ literal: 'call.status' }],
      detail: [{ json: ['CallStatus'] }],
    },
  ],
  occurredAt: [{ json: ['Timestamp'] }],
  accounts: [
    { key: 'account', from: [{ json: ['AccountSid'] }] },
    { key: 'to', from: [{ json: ['To'] }], on: ['message.received', 'call.status*'] },
  ],
  refs: {
    'message.received': 'message.received',
    'message.status*': 'message.status',
    'call.status*': 'call.status',
    'recording.completed': 'file.created',
  },
  states: {},
  answer: { status: 200, body: '<Response/>', type: 'text/xml' },
  samples: {
    'message.received': sample({
      MessageSid: 'SM00000000000000000000000000000001',
      From: '+15005550006',
      To: '+15005550001',
      Body: 'Lunch at noon?',
    }),
    'message.status.delivered': sample({
      MessageSid: 'SM00000000000000000000000000000001',
      MessageStatus: 'delivered',
    }),
  },
};
