import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sampleAnnouncement } from '../helpers/samples.ts';
import { hasPostgres } from '../helpers/stores.ts';
import { startApi, type TestApi } from './start-api.ts';

describe.skipIf(!hasPostgres)('records over HTTP', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.stop());

  test.each([
    ['numbers above 2^53 and doubled keys', '{"id":9007199254740993,"a":1,"a":2}'],
    [
      'NUL and lone surrogates, escaped',
      '{"nul":"\\u0000","high":"\\ud800","low":"\\udfff!","solidus":"\\/"}',
    ],
    [
      'long decimals, key order, blanks',
      '{ "z" : 1.10,\n\t"a":1e400, "pi":3.14159265358979323846264338327950288 }',
    ],
    ['what looks like our own members', '{"record_id":"x","data":{"data":null},"__proto__":{"a":1}}'],
    ['text in every script', '"a\u2028b 😀 é \\ud83d\\ude00"'],
    ['no payload at all', 'null'],
  ])('G9: %s come out as they went in', async (_, data) => {
    const { records } = await api.record(sampleAnnouncement({ data }));
    const id = records[0]?.id;
    const one = await api.call('GET', `/v1/records/${id}`);
    expect(one.text.endsWith(`,"data":${data}}`)).toBe(true);
    expect(one.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect((await api.call('GET', '/v1/records?limit=1')).text).toContain(`,"data":${data}}`);
    const lease = await api.lease({ max: 100 });
    expect(lease.text).toContain(`,"data":${data}}`);
    expect(() => lease.json()).not.toThrow();
  });

  test('browsing pages through everything once, newest first', async () => {
    await api.record(...Array.from({ length: 25 }, () => sampleAnnouncement({ source: 'paged' })));
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = (await api.call('GET', `/v1/records?source=paged&limit=10${cursor}`)).json();
      seen.push(...page.records.map((record: { record_id: string }) => record.record_id));
      cursor = page.next_cursor === null ? '' : `&cursor=${page.next_cursor}`;
    } while (cursor !== '');
    expect(seen).toHaveLength(25);
    expect(seen).toEqual([...new Set(seen)].sort().reverse());
  });

  test('filters are applied together', async () => {
    const wanted = sampleAnnouncement({ source: 'filtered', ref: 'item.updated' });
    await api.record(wanted, sampleAnnouncement({ source: 'filtered' }), sampleAnnouncement());
    const query = `source=filtered&ref=item.updated&pack=mail&principal=user_42&route=inbox&delivery_id=${wanted.delivery}`;
    const page = (await api.call('GET', `/v1/records?${query}`)).json();
    expect(page.records.map((record: { event_id: string }) => record.event_id)).toEqual([wanted.event]);
  });

  test('G5: nothing in a payload or an event id changes whose record it is', async () => {
    const data = JSON.stringify({
      tenant_id: 'globex',
      principal: { id: 'user_99' },
      land: 'local',
      pack_id: 'x',
    });
    const { records } = await api.record(
      sampleAnnouncement({ data, event: '"},"tenant_id":"globex","x":"' }),
    );
    const record = (await api.call('GET', `/v1/records/${records[0]?.id}`)).json();
    expect(record).toMatchObject({
      tenant_id: 'acme',
      principal: { id: 'user_42', kind: 'human' },
      land: 'personal',
      pack_id: 'mail',
    });
  });

  test('S18: a brain record is withheld until its Principal is a member of the project, and again afterwards', async () => {
    await api.pool.query("update sense.principals set projects = '{}' where principal_id = 'user_42'");
    const announcement = sampleAnnouncement({
      source: 'brain',
      pack: 'issues',
      accounts: ['installation:77'],
    });
    const { records } = await api.record(announcement);
    const id = records[0]?.id;
    const visible = async () => ({
      listed: (await api.call('GET', '/v1/records?source=brain')).json().records.length,
      listedForAdmins: (await api.call('GET', '/v1/records?source=brain', { as: 'admin' })).json().records
        .length,
      read: (await api.call('GET', `/v1/records/${id}`)).status,
      badge: (await api.call('GET', '/v1/badges')).json().badges[0]?.packs.issues ?? 0,
    });
    const hidden = { listed: 0, listedForAdmins: 0, read: 404, badge: 0 };
    const shown = { listed: 1, listedForAdmins: 1, read: 200, badge: 1 };
    expect(await visible()).toEqual(hidden);
    expect((await api.lease({ pack: 'issues' })).json().records).toEqual([]);
    const explained = (
      await api.call('GET', `/v1/explain?source=brain&delivery_id=${announcement.delivery}`, { as: 'admin' })
    ).json();
    expect(explained.decisions[0].why).toContain('withheld until user_42 is a member of apollo');

    const join = (projects: string[], tenant = 'acme') =>
      api.call('PUT', '/v1/directory/principals/user_42', {
        as: 'admin',
        body: { kind: 'human', tenant, projects },
      });
    // Being of the tenant, or of another project, is not enough.
    await join(['zeus']);
    expect(await visible()).toEqual(hidden);

    // A leaser that waits gets it as soon as membership exists.
    const waiting = api.lease({ pack: 'issues', wait_seconds: 30, lease_seconds: 1 });
    await join(['apollo']);
    expect((await waiting).json().records).toHaveLength(1);
    expect(await visible()).toEqual(shown);

    await join([]);
    expect(await visible()).toEqual(hidden);
    await api.pool.query('update sense.records set leased_until = null');
    expect((await api.lease({ pack: 'issues' })).json().records).toEqual([]);
    await join(['apollo']);
    expect(await visible()).toEqual(shown);
  });
});
