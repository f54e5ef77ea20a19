import { CloudEvent, HTTP } from 'cloudevents';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSource } from '../../src/ingress/create-source.ts';
import { receiveDelivery } from '../../src/ingress/receive-delivery.ts';
import { codeOf, type Ingress, sendRaw, startIngress } from './start-ingress.ts';

const token = 'example-bearer-token';
const settings = {
  id: 'ce',
  type: 'vendor',
  vendor: 'cloudevents',
  pack: 'shop',
  refs: { 'com.example.order.created': 'new_item', 'com.example.*': 'item.updated' },
} as const;
const bearer = { authorization: `Bearer ${token}` };

let ingress: Ingress;
beforeAll(async () => {
  ingress = await startIngress([{ settings, secrets: ['the one before', token] }]);
});
afterAll(() => ingress.close());
beforeEach(() => {
  ingress.enqueued.length = 0;
});

const post = (headers: Record<string, string>, body: string | Uint8Array, query = '') =>
  ingress.post(`ce${query}`, { ...bearer, ...headers }, body);
const envelope = (more: object = {}) =>
  JSON.stringify({
    specversion: '1.0',
    id: '1',
    source: '/shop',
    type: 'com.example.order.created',
    ...more,
  });
const structured = { 'content-type': 'application/cloudevents+json' };
const binary = {
  'ce-specversion': '1.0',
  'ce-id': '1',
  'ce-source': '/shop',
  'ce-type': 'com.example.order.created',
};

/** Whatever the SDK builds, as fetch sends it. */
const sendMessage = ({ headers, body }: ReturnType<typeof HTTP.binary>) =>
  post(
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
    body instanceof Uint8Array ? body : String(body),
  );

describe('S21: CloudEvents that the cloudevents package builds', () => {
  const made = (id: string) =>
    new CloudEvent({
      id,
      source: 'https://shop.example.com/orders',
      type: 'com.example.order.created',
      subject: 'orders/42',
      time: '2025-06-15T15:06:40.000Z',
      data: { order: '42', note: 'ä' },
    });
  const expected = {
    ref: 'new_item',
    event: 'https://shop.example.com/orders:e1',
    accounts: ['source:https://shop.example.com/orders', 'subject:orders/42'],
    occurredAt: '2025-06-15T15:06:40.000Z',
    data: '{"order":"42","note":"ä"}',
  };

  it.each(['binary', 'structured'] as const)('are taken in %s mode', async (mode) => {
    const answer = await sendMessage(HTTP[mode](made('e1')));
    expect([answer.status, await answer.text()]).toEqual([202, '{"accepted":1}']);
    expect(ingress.enqueued).toMatchObject([expected]);
  });

  it('are one and the same event in every mode', async () => {
    await sendMessage(HTTP.binary(made('e1')));
    await sendMessage(HTTP.structured(made('e1')));
    await post({ 'content-type': 'application/cloudevents-batch+json' }, JSON.stringify([made('e1')]));
    expect(new Set(ingress.enqueued.map(({ eventHash }) => eventHash)).size).toBe(1);
    expect(new Set(ingress.enqueued.map(({ data }) => data)).size).toBe(1);
  });

  it('carry binary data in both modes alike', async () => {
    const event = new CloudEvent({
      id: 'e1',
      source: '/shop',
      type: 'com.example.photo',
      datacontenttype: 'image/png',
      data: Uint8Array.from([0x89, 0x50, 0xff]),
    });
    await sendMessage(HTTP.structured(event));
    await post(
      { ...binary, 'ce-type': 'com.example.photo', 'content-type': 'image/png' },
      Uint8Array.from([0x89, 0x50, 0xff]),
    );
    expect(ingress.enqueued.map(({ data }) => JSON.parse(data))).toEqual([
      { data_base64: 'iVD/' },
      { data_base64: 'iVD/' },
    ]);
  });
});

describe('modes', () => {
  it('G9: data goes on as the very characters that were sent, in every mode', async () => {
    const data = '{ "id": 9007199254740993, "a": 1, "a": 2, "u": "\\u0000\\ud800", "e": 1.10 }';
    const around = `{"specversion":"1.0","id":"1","source":"/shop","data": ${data} ,"type":"com.example.order.created"}`;
    await post({ ...binary, 'content-type': 'application/json; charset=utf-8' }, data);
    await post({ 'content-type': 'Application/CloudEvents+JSON; charset=utf-8' }, around);
    await post({ 'content-type': 'application/cloudevents-batch+json;charset=UTF-8' }, `[ ${around} ]`);
    expect(ingress.enqueued.map((one) => one.data)).toEqual([data, data, data]);
  });

  it('an empty batch is valid and holds nothing', async () => {
    const answer = await post({ 'content-type': 'application/cloudevents-batch+json' }, '[]');
    expect([answer.status, await answer.text()]).toEqual([202, '{"accepted":0}']);
    expect(ingress.enqueued).toEqual([]);
  });

  it('no data, and text, are taken', async () => {
    await post(binary, '');
    await post({ ...binary, 'content-type': 'text/plain' }, 'it is "here"');
    await post(structured, envelope());
    await post(structured, envelope({ data: 'text' }));
    expect(ingress.enqueued.map(({ data }) => data)).toEqual([
      'null',
      '"it is \\"here\\""',
      'null',
      '"text"',
    ]);
  });

  it('data_base64 that is JSON is handed on as that JSON, in a batch too', async () => {
    const json = '{"n": 9007199254740993}';
    const event = envelope({
      data_base64: Buffer.from(json).toString('base64'),
      datacontenttype: 'application/json',
    });
    await post(structured, event);
    await post({ 'content-type': 'application/cloudevents-batch+json' }, `[${envelope()},${event}]`);
    expect(ingress.enqueued.map(({ data }) => data)).toEqual([json, 'null', json]);
  });

  it('ce- headers are percent-decoded UTF-8, quoted or not', async () => {
    await post({ ...binary, 'ce-subject': 'Euro%20%E2%82%AC%20%F0%9F%98%80 100%' }, '');
    await post({ ...binary, 'ce-subject': '"a \\"quoted\\" one"' }, '');
    expect(ingress.enqueued.map(({ accounts }) => accounts[1])).toEqual([
      'subject:Euro € 😀 100%',
      'subject:a "quoted" one',
    ]);
  });

  it('id and source are one event together, never by what they happen to join to', async () => {
    const batch = [
      ['a:b', 'c'],
      ['a', 'b:c'],
      ['a', 'c'],
    ].map(([source, id]) => envelope({ source, id }));
    await post({ 'content-type': 'application/cloudevents-batch+json' }, `[${batch.join(',')}]`);
    expect(new Set(ingress.enqueued.map(({ eventHash }) => eventHash)).size).toBe(3);
  });

  it('G5 S20: attributes and data choose nothing but keys to look up', async () => {
    await post(
      structured,
      envelope({ pack: 'other', binding: 'bnd_1', hcptenant: 'globex', data: { ref: 'x' } }),
    );
    expect(ingress.enqueued).toMatchObject([{ pack: 'shop', binding: null, accounts: ['source:/shop'] }]);
  });

  it('a type that no mapping names is acknowledged and dropped without its payload (G6)', async () => {
    expect((await post(structured, envelope({ type: 'org.other.thing', data: { secret: 1 } }))).status).toBe(
      202,
    );
    expect(ingress.enqueued).toMatchObject([{ data: 'null', refusal: { reason: 'event_unmapped' } }]);
  });
});

describe('what is no CloudEvent is refused and nothing is filled in', () => {
  it.each(['ce-id', 'ce-source', 'ce-type', 'ce-specversion'])('binary without %s', async (name) => {
    const answer = await post(
      Object.fromEntries(Object.entries(binary).filter(([header]) => header !== name)),
      '{}',
    );
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(`${name.slice(3)} is missing`);
  });

  it.each([
    ['an attribute missing', structured, envelope({ id: undefined }), 400],
    ['an empty id', structured, envelope({ id: '' }), 400],
    ['an id that is a number', structured, envelope({ id: 7 }), 400],
    ['another version', structured, envelope({ specversion: '0.3' }), 400],
    ['data twice', structured, envelope({ data: 1, data_base64: 'AA==' }), 400],
    ['broken base64', structured, envelope({ data_base64: 'A' }), 400],
    ['a list where one is announced', structured, `[${envelope()}]`, 400],
    [
      'one where a list is announced',
      { 'content-type': 'application/cloudevents-batch+json' },
      envelope(),
      400,
    ],
    [
      'a batch with one bad event',
      { 'content-type': 'application/cloudevents-batch+json' },
      `[${envelope()},{}]`,
      400,
    ],
    ['null in a batch', { 'content-type': 'application/cloudevents-batch+json' }, '[null]', 400],
    ['broken JSON', structured, '{', 400],
    ['an empty body', structured, '', 400],
    ['no event at all', { 'content-type': 'application/json' }, '{}', 400],
    ['a header that is not UTF-8', { ...binary, 'ce-subject': '%ff' }, '', 400],
    ['JSON that is none', { ...binary, 'content-type': 'application/json' }, 'hello', 400],
    ['XML', { 'content-type': 'application/cloudevents+xml' }, '<event/>', 415],
    ['Avro, in a batch', { 'content-type': 'application/cloudevents-batch+avro' }, 'x', 415],
  ])('%s', async (_title, headers, body, status) => {
    const answer = await post(headers, body);
    expect(answer.status).toBe(status);
    expect(ingress.enqueued).toEqual([]);
  });

  it('a header that was sent twice', async () => {
    const headers = Object.entries({ ...bearer, ...binary }).map((one): [string, string] => one);
    const answer = await sendRaw(ingress.port, '/ingress/ce', { headers: [...headers, ['ce-id', '2']] });
    expect(answer.status).toBe(400);
    expect(ingress.enqueued).toEqual([]);
  });
});

describe('the bearer token', () => {
  it('in the URL makes the answer private, whatever it is', async () => {
    const bare = { ...structured };
    const good = await ingress.post(`ce?access_token=${token}`, bare, envelope());
    expect([good.status, good.headers.get('cache-control')]).toEqual([202, 'private']);
    const bad = await ingress.post('ce?access_token=other', bare, envelope());
    expect([bad.status, bad.headers.get('cache-control')]).toEqual([401, 'private']);
    expect((await post(structured, envelope())).headers.get('cache-control')).toBeNull();
  });

  it('S21: that is wrong in the header is not made good by the one in the URL', async () => {
    const answer = await ingress.post(
      `ce?access_token=${token}`,
      { ...structured, authorization: 'Bearer other' },
      envelope(),
    );
    expect(await codeOf(answer)).toBe('SIGNATURE_MISMATCH');
  });

  it('that is missing is a 401, before anything is said of the body', async () => {
    const answer = await ingress.post('ce', structured, '{');
    expect([answer.status, await codeOf(answer)]).toEqual([401, 'SIGNATURE_MISSING']);
  });
});

describe('abuse protection', () => {
  const ask = (headers: Record<string, string>, params: Record<string, string>) =>
    receiveDelivery(
      createSource(settings, [token], { params }),
      { method: 'OPTIONS', query: '', headers, raw: Buffer.alloc(0), format: 'json', now: Date.now() },
      () => Promise.reject(new Error('a handshake needs no queue')),
    );
  const params = { origins: 'eventemitter.example.com other.example.com', rate: '120' };

  it('an origin of ours is agreed to by name, with the rate, and without any proof', async () => {
    expect(
      await ask(
        { 'webhook-request-origin': 'eventemitter.example.com', 'webhook-request-rate': '500' },
        params,
      ),
    ).toEqual({
      kind: 'greeted',
      status: 200,
      type: null,
      body: '',
      headers: {
        allow: 'POST',
        'webhook-allowed-origin': 'eventemitter.example.com',
        'webhook-allowed-rate': '120',
      },
    });
    expect(
      await ask({ 'webhook-request-origin': 'other.example.com' }, { origins: params.origins }),
    ).toMatchObject({
      headers: { 'webhook-allowed-rate': '*' },
    });
  });

  it.each([
    ['another origin', { 'webhook-request-origin': 'evil.example.com' }, params],
    ['a part of one', { 'webhook-request-origin': 'example.com' }, params],
    ['no origins configured', { 'webhook-request-origin': 'eventemitter.example.com' }, {}],
    ['no origin', {}, params],
  ])('%s: no agreement', async (_title, headers, given) => {
    expect(await ask(headers, given)).toMatchObject({ kind: 'refused', code: 'METHOD_NOT_ALLOWED' });
  });

  it('the callback is never called, and no header of an agreement is in the answer (over HTTP)', async () => {
    const answer = await sendRaw(ingress.port, '/ingress/ce', {
      method: 'OPTIONS',
      headers: [
        ['WebHook-Request-Origin', 'eventemitter.example.com'],
        ['WebHook-Request-Callback', `http://127.0.0.1:${ingress.port}/ingress/called-back`],
      ],
    });
    expect([answer.status, answer.headers.allow]).toEqual([405, 'POST']);
    expect(answer.headers['webhook-allowed-origin']).toBeUndefined();
    expect(ingress.facts.every(({ source }) => source === 'ce')).toBe(true);
  });
});
