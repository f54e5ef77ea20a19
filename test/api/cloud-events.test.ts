import { CloudEvent, HTTP } from 'cloudevents';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseMedia } from '../../src/api/choose-media.ts';
import { writeCloudEvent } from '../../src/domain/write-cloud-event.ts';
import { sampleAnnouncement } from '../helpers/samples.ts';
import { hasPostgres } from '../helpers/stores.ts';
import { startApi, type TestApi } from './start-api.ts';

const one = 'application/cloudevents+json';
const many = 'application/cloudevents-batch+json';

/** As the peer reads a message; it throws where an attribute breaks a rule of CloudEvents. */
const readEvents = (answer: { text: string; headers: Headers }): CloudEvent<unknown>[] => {
  const headers = { 'content-type': answer.headers.get('content-type') ?? '' };
  const found = HTTP.toEvent({ headers, body: answer.text });
  return [found].flat().map((event) => {
    const checked = new CloudEvent(event);
    checked.validate();
    return checked;
  });
};

describe.skipIf(!hasPostgres)('records as CloudEvents, where asked for', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  test('S14: one record, with its attribution in extension attributes that the peer takes', async () => {
    const announcement = sampleAnnouncement({
      data: '{"id":"m1"}',
      occurredAt: '2025-06-15T15:06:40.000Z',
    });
    const { records } = await api.record(announcement);
    const answer = await api.call('GET', `/v1/records/${records[0]?.id}`, { accept: one });
    const plain = (await api.call('GET', `/v1/records/${records[0]?.id}`)).json();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe(`${one}; charset=utf-8`);
    const [event] = readEvents(answer);
    expect(event).toMatchObject({
      id: plain.record_id,
      source: `/tenants/acme/sources/${plain.source_id}`,
      type: `${plain.pack_id}.${plain.ref}`,
      time: plain.occurred_at,
      subject: plain.binding_id,
      datacontenttype: 'application/json',
      hcptenant: 'acme',
      hcpprincipal: 'user_42',
      hcpprincipalkind: 'human',
      hcpbinding: plain.binding_id,
      hcpland: 'personal',
      hcppack: plain.pack_id,
      hcpref: plain.ref,
      hcproute: 'inbox',
      hcpevent: plain.event_id,
      hcpdelivery: plain.delivery_id,
      hcprecordedat: plain.recorded_at,
      hcptrust: 'external',
      data: { id: 'm1' },
    });
    const sent: object = JSON.parse(answer.text);
    expect(Object.keys(sent)).not.toContain('hcpproject');
    for (const name of Object.keys(sent).filter((key) => key.startsWith('hcp')))
      expect(name).toMatch(/^[a-z0-9]{1,20}$/);
  });

  test.each([
    '{"id":9007199254740993,"a":1,"a":2}',
    '{ "nul":"\\u0000", "high":"\\ud800", "z" : 1.10 }',
    'null',
  ])('G9: %s comes out as it went in, alone and in a batch', async (data) => {
    const { records } = await api.record(sampleAnnouncement({ data, source: 'verbatim' }));
    const single = await api.call('GET', `/v1/records/${records[0]?.id}`, { accept: one });
    expect(single.text.endsWith(`,"data":${data}}`)).toBe(true);
    const batch = await api.call('GET', '/v1/records?source=verbatim&limit=1', { accept: many });
    expect(batch.text.endsWith(`,"data":${data}}]`)).toBe(true);
  });

  test('a list is a batch; the next cursor is a header, and the last page has none', async () => {
    await api.record(...Array.from({ length: 3 }, () => sampleAnnouncement({ source: 'paged' })));
    const page = await api.call('GET', '/v1/records?source=paged&limit=2', { accept: many });
    expect(page.headers.get('content-type')).toBe(`${many}; charset=utf-8`);
    const cursor = page.headers.get('hcp-next-cursor');
    const last = await api.call('GET', `/v1/records?source=paged&limit=2&cursor=${cursor}`, { accept: many });
    expect([...readEvents(page), ...readEvents(last)]).toHaveLength(3);
    expect(last.headers.has('hcp-next-cursor')).toBe(false);
  });

  test('a lease is a batch with its id in a header, and is acknowledged like any other', async () => {
    await api.record(sampleAnnouncement({ source: 'leased', pack: 'mail' }));
    const lease = (accept: string) =>
      api.call('POST', '/v1/inbox/lease', { accept, body: { wait_seconds: 0, max: 500 } });
    const answer = await lease(many);
    const events = readEvents(answer);
    expect(events.map(({ hcpsource }) => hcpsource)).toContain('leased');
    expect(Date.parse(answer.headers.get('hcp-leased-until') ?? '')).toBeGreaterThan(Date.now());
    const acked = await api.call('POST', '/v1/inbox/ack', {
      body: { lease_id: answer.headers.get('hcp-lease-id') },
    });
    expect(acked.json().acked.sort()).toEqual(events.map(({ id }) => id).sort());

    const empty = await lease(many);
    expect([empty.text, empty.headers.has('hcp-lease-id')]).toEqual(['[]', false]);
  });

  test('nothing acceptable is a 406 that leases nothing; whatever else is asked for, JSON is the answer', async () => {
    await api.record(sampleAnnouncement({ source: 'refused' }));
    const refused = await api.call('POST', '/v1/inbox/lease', {
      accept: 'text/html',
      body: { wait_seconds: 0 },
    });
    expect([refused.status, refused.json().error.code]).toEqual([406, 'NOT_ACCEPTABLE']);
    expect(refused.json().error.message).toContain(many);
    expect((await api.lease()).json().records).toHaveLength(1);
    for (const accept of [
      '*/*',
      'application/*',
      'text/html, application/json',
      `${many};q=0.1, application/json`,
      '',
    ]) {
      const answer = await api.call('GET', '/v1/records?limit=1', { accept });
      expect([accept, answer.headers.get('content-type')]).toEqual([
        accept,
        'application/json; charset=utf-8',
      ]);
    }
    // Routes of one form answer as ever.
    expect((await api.call('GET', '/v1/badges', { accept: 'text/html' })).status).toBe(200);
  });

  test('openapi.json names the media types, the shape and the 406', async () => {
    const document = (await api.call('GET', '/openapi.json', { as: null })).json();
    const types = (path: string, method: string) =>
      Object.keys(document.paths[path][method].responses['200'].content);
    expect(types('/v1/records', 'get')).toEqual(['application/json', many]);
    expect(types('/v1/records/{id}', 'get')).toEqual(['application/json', one]);
    expect(types('/v1/inbox/lease', 'post')).toEqual(['application/json', many]);
    expect(document.paths['/v1/records'].get.responses['406'].description).toContain('NOT_ACCEPTABLE');
    expect(JSON.stringify(document)).toContain('hcprecordedat');
  });
});

test('S14: whatever ids hold, the event is JSON, its data the last member, and the peer takes its attributes', () => {
  const text = fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' });
  fc.assert(
    fc.property(text, text, text, fc.json(), (tenant, source, event, data) => {
      const written = writeCloudEvent({
        head: {
          record_id: '0192d0c0-0000-7000-8000-000000000000',
          tenant_id: tenant,
          principal: { id: 'p', kind: 'human' },
          binding_id: 'b',
          land: 'personal',
          project_id: null,
          pack_id: 'mail',
          ref: 'new_item',
          route: 'inbox',
          source_id: source,
          event_id: event,
          delivery_id: 'd',
          occurred_at: null,
          received_at: '2025-06-15T15:06:40.000Z',
          recorded_at: '2025-06-15T15:06:41.000Z',
          state: null,
          trust: 'external',
        },
        data,
      });
      expect(written.endsWith(`,"data":${data}}`)).toBe(true);
      const parsed = JSON.parse(written);
      expect(parsed).toMatchObject({ time: '2025-06-15T15:06:40.000Z', hcptenant: tenant, hcpevent: event });
      expect(new URL(parsed.source, 'https://example.com').pathname).toBe(parsed.source);
      expect(new CloudEvent(parsed).validate()).toBe(true);
    }),
    { numRuns: 100 },
  );
});

describe('which form is chosen', () => {
  const offers = ['application/json', many] as const;
  test.each([
    [undefined, 'application/json'],
    ['', 'application/json'],
    ['nonsense', 'application/json'],
    ['*/*', 'application/json'],
    [many, many],
    ['Application/CloudEvents-Batch+JSON; charset=utf-8', many],
    [`application/json;q=0.5, ${many}`, many],
    [`application/json, ${many}`, 'application/json'],
    [`application/json;q=0, */*;q=0.1`, many],
    [`${many};q=0, application/json;q=0`, null],
    ['text/html;q=0.9, text/*', null],
    [one, null],
    [`${many};q=nonsense`, many],
  ])('Accept: %s → %s', (accept, expected) => {
    expect(chooseMedia(accept, offers)).toBe(expected);
  });
});
