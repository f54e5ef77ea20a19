import type { Sample, VendorProfile } from './profile.ts';

const event = (type: string, data: Record<string, unknown>): Sample => ({
  headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' },
  body: {
    specversion: '1.0',
    id: 'ce-example',
    source: '/example/shop',
    type,
    time: '2025-06-15T15:06:40Z',
    subject: 'orders/42',
    datacontenttype: 'application/json',
    data,
  },
});

/**
 * CloudEvents 1.0 over HTTP: https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md,
 * with the bearer token and the abuse protection of https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/http-webhook.md.
 */
export const cloudevents: VendorProfile = {
  vendor: 'cloudevents',
  about: {
    name: 'CloudEvents over HTTP (binary, structured and batched)',
    docs: 'https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/http-webhook.md',
    setUp:
      'The URL, with a bearer token in `Authorization` or, where the sender can do no better, as `?access_token=`. The sender of an abuse protection request must be one of `params.origins`.',
    secret: 'The bearer token.',
    answerSeconds: null,
    notes: [
      'The token is sent in clear and the body is not bound to it: https only, and keep the token out of access logs where it stands in the URL (the answer then says `Cache-Control: private`).',
      '`refs` of the source maps the attribute `type`; without it every event is dropped as `event_unmapped`.',
      '`data` is the event\'s `data`, verbatim; of its attributes `id`, `source` (both in `event_id`), `type` (as the ref) and `time` are kept. Data that is not JSON: text as a JSON text, other bytes as `{"data_base64": …}`.',
      '`id` and `source` together are one event. An empty batch is taken, and holds none.',
      'Required attributes are never filled in: an event without one is refused with 400, and with it its whole batch.',
      '`WebHook-Request-Callback` is never called; agree by `params.origins`.',
    ],
    unconfirmed: [
      'That senders percent-encode `ce-` headers as the binding asks: the JavaScript SDK (10.0.0) does not.',
    ],
  },
  // A token in the header that is wrong is not made good by one in the URL (RFC 6750, 2: only one may be used).
  proof: {
    kind: 'choose',
    of: [
      {
        when: [{ at: { header: 'authorization' } }],
        proof: { kind: 'token', at: { header: 'authorization' }, prefix: 'Bearer ' },
      },
      { when: [{ at: { query: 'access_token' } }], proof: { kind: 'token', at: { query: 'access_token' } } },
      { when: [], proof: { kind: 'token', at: { header: 'authorization' }, prefix: 'Bearer ' } },
    ],
  },
  params: {
    origins: {
      needed: 'never',
      means: 'origins whose abuse protection request is agreed to, separated by blanks; without it, none',
    },
    rate: { needed: 'never', means: 'requests a minute that such an origin is allowed; left out: any' },
  },
  takes: ['json', 'any'],
  reads: 'cloudevents',
  handshakes: [
    {
      method: 'OPTIONS',
      when: [{ at: { header: 'webhook-request-origin' } }],
      unproven: true,
      // No agreement is an answer without these headers; the status says nothing (http-webhook, 4.2).
      token: { at: { header: 'webhook-request-origin' }, param: 'origins', among: true },
      answer: {
        status: 200,
        headers: {
          allow: { literal: 'POST' },
          'webhook-allowed-origin': { header: 'webhook-request-origin' },
          'webhook-allowed-rate': { param: 'rate', or: '*' },
        },
      },
    },
  ],
  split: [['*']],
  data: 'data',
  deliveryId: [{ json: ['id'] }],
  eventId: [{ all: [{ json: ['source'] }, { json: ['id'] }] }],
  event: [{ parts: [{ json: ['type'] }] }],
  occurredAt: [{ json: ['time'] }],
  accounts: [
    { key: 'source', from: [{ json: ['source'] }] },
    { key: 'subject', from: [{ json: ['subject'] }] },
  ],
  refs: {},
  states: {},
  answer: null,
  samples: {
    'com.example.order.created': event('com.example.order.created', { order: '42', total: 4200 }),
    'com.example.order.updated': event('com.example.order.updated', { order: '42', total: 4300 }),
  },
};
