import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { routes } from '../../src/api/routes.ts';
import { sampleAnnouncement } from '../helpers/samples.ts';
import { hasPostgres } from '../helpers/stores.ts';
import { startApi, type TestApi } from './start-api.ts';

const stranger = '01890000-0000-7000-8000-000000000000';
const urlOf = (url: string) => url.replace(':id', stranger);

describe.skipIf(!hasPostgres)('who may do what', () => {
  let api: TestApi;
  let record: string;
  let globexRecord: string;

  beforeAll(async () => {
    api = await startApi();
    await api.pool.query(`
      insert into sense.principals (principal_id, tenant_id, kind) values
        ('user_43', 'acme', 'human'), ('user_99', 'globex', 'human');
      insert into sense.bindings (binding_id, pack_id, principal_id, account, mode) values
        ('bnd_43', 'mail', 'user_43', 'other@example.com', 'user'), ('bnd_99', 'mail', 'user_99', 'globex@example.com', 'user');
      insert into sense.grants (grant_id, principal_id, capability, pack_id) values
        ('g_43', 'user_43', 'sense.enable', 'mail'), ('g_99', 'user_99', 'sense.enable', 'mail');
    `);
    const ours = await api.record(sampleAnnouncement());
    await api.record(sampleAnnouncement({ accounts: ['other@example.com'] }));
    const theirs = await api.record(sampleAnnouncement({ accounts: ['globex@example.com'] }));
    record = ours.records[0]?.id ?? '';
    globexRecord = theirs.records[0]?.id ?? '';
  });
  afterAll(() => api.stop());

  test.each(routes.map(({ method, url }) => [method, url]))(
    'S35: %s %s wants a token of ours',
    async (method, url) => {
      const none = await api.call(method, urlOf(url), { as: null });
      expect([none.status, none.json().error.code]).toEqual([401, 'TOKEN_MISSING']);
      expect(none.headers.get('www-authenticate')).toBe('Bearer');
      for (const as of ['wrong', 'agent-secre', 'admin-secret-and-more']) {
        const wrong = await api.call(method, urlOf(url), { as });
        expect([wrong.status, wrong.json().error.code]).toEqual([401, 'TOKEN_INVALID']);
      }
    },
  );

  test.each(routes.map(({ method, url, roles }) => [method, url, roles]))(
    '%s %s is for %s only',
    async (method, url, roles) => {
      for (const [as, role] of [
        ['admin', 'admin'],
        ['agent', 'invoker'],
      ] as const) {
        // A body that no route takes: who may ask gets as far as being told so, or further.
        const answer = await api
          .call(method, urlOf(url), {
            as,
            ...(method === 'GET' ? {} : { body: { unheard_of: 1 } }),
            signal: AbortSignal.timeout(1_000),
          })
          .catch(() => null);
        if (roles.includes(role)) expect(answer?.status).not.toBe(403);
        else expect([answer?.status, answer?.json().error.code]).toEqual([403, 'ROLE_FORBIDDEN']);
      }
    },
  );

  describe('S20: an Invoker of another tenant', () => {
    const principalsOf = (answer: { json: () => { records: { principal: { id: string } }[] } }) =>
      answer.json().records.map(({ principal }) => principal.id);

    test('browses its own records only', async () => {
      expect(principalsOf(await api.call('GET', '/v1/records', { as: 'globex' }))).toEqual(['user_99']);
      expect(principalsOf(await api.call('GET', '/v1/records?principal=user_42', { as: 'globex' }))).toEqual(
        [],
      );
      expect(principalsOf(await api.call('GET', '/v1/records'))).toEqual(['user_43', 'user_42']);
      expect(principalsOf(await api.call('GET', '/v1/records', { as: 'only42' }))).toEqual(['user_42']);
      expect(principalsOf(await api.call('GET', '/v1/records', { as: 'admin' })).sort()).toEqual([
        'user_42',
        'user_43',
        'user_99',
      ]);
    });

    test('reads one record by its id only where it is its own', async () => {
      expect((await api.call('GET', `/v1/records/${record}`, { as: 'globex' })).status).toBe(404);
      expect((await api.call('GET', `/v1/records/${globexRecord}`)).json().error.code).toBe('RECORD_UNKNOWN');
      expect((await api.call('GET', `/v1/records/${globexRecord}`, { as: 'globex' })).status).toBe(200);
    });

    test('counts its own badges only', async () => {
      const badges = async (as: string) => (await api.call('GET', '/v1/badges', { as })).json();
      expect((await badges('globex')).badges.map((badge: { principal: string }) => badge.principal)).toEqual([
        'user_99',
      ]);
      expect((await badges('only42')).unread).toBe(1);
      expect((await api.call('GET', '/v1/badges?principal=user_42', { as: 'globex' })).json().unread).toBe(0);
    });

    test('hears of its own records only', async () => {
      const gone = new AbortController();
      const response = await fetch(`${api.url}/v1/inbox/stream`, {
        headers: { authorization: 'Bearer only42-secret' },
        signal: gone.signal,
      });
      const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
      let text = '';
      const readUntil = async (mark: string) => {
        while (!text.includes(mark)) text += Buffer.from((await reader.read()).value ?? []).toString();
      };
      await readUntil(': watching');
      await api.record(
        sampleAnnouncement({ accounts: ['globex@example.com'] }),
        sampleAnnouncement({ accounts: ['other@example.com'] }),
      );
      const mine = await api.record(sampleAnnouncement());
      await readUntil(mine.records[0]?.id ?? 'nothing');
      gone.abort();
      expect([...text.matchAll(/"principal_id":"(.+?)"/g)].map((match) => match[1])).toEqual(['user_42']);
    });

    test('leases its own records only, and touches no lease of another', async () => {
      const mine = await api.lease({ max: 100 });
      expect(new Set(principalsOf(mine))).toEqual(new Set(['user_42', 'user_43']));
      const { lease_id } = mine.json();
      for (const verb of ['extend', 'ack', 'release']) {
        const answer = await api.call('POST', `/v1/inbox/${verb}`, { as: 'globex', body: { lease_id } });
        expect(answer.json().error?.code).toBe('LEASE_UNKNOWN');
        const narrow = await api.call('POST', `/v1/inbox/${verb}`, {
          as: 'only42',
          body: {
            lease_id,
            record_ids: mine
              .json()
              .records.filter((each: { principal: { id: string } }) => each.principal.id === 'user_43')
              .map((each: { record_id: string }) => each.record_id),
          },
        });
        expect(narrow.json().error?.code).toBe('LEASE_UNKNOWN');
      }
      expect(principalsOf(await api.lease({ max: 100 }, 'only42'))).toEqual([]);
      expect(new Set(principalsOf(await api.lease({ max: 100 }, 'globex')))).toEqual(new Set(['user_99']));
    });
  });

  test('a request is refused with all its faults at once, and an unknown key with the nearest one', async () => {
    const answer = await api.call('POST', '/v1/inbox/lease', {
      body: { max: 0, lease_second: 5, principal: 'a\u0000' },
    });
    expect(answer.status).toBe(400);
    const { error } = answer.json();
    expect(error).toMatchObject({ code: 'REQUEST_INVALID', request_id: expect.any(String) });
    expect(error.faults).toHaveLength(3);
    expect(error.faults.join('\n')).toContain('did you mean "lease_seconds"?');
    const query = await api.call('GET', '/v1/records?limit=9999&cursor=nonsense&route=drop');
    expect(query.json().error.faults).toHaveLength(3);
  });

  test('bodies that are no JSON, poisoned or too large are plain refusals', async () => {
    const bad = await api.call('POST', '/v1/inbox/lease', { body: '{"max":' });
    expect([bad.status, bad.json().error.code]).toEqual([400, 'BODY_MALFORMED']);
    const poisoned = await api.call('POST', '/v1/inbox/lease', { body: '{"__proto__":{"max":1}}' });
    expect(poisoned.json().error.code).toBe('BODY_MALFORMED');
    const large = await api.call('POST', '/v1/inbox/lease', { body: `{"pack":"${'x'.repeat(2_000_000)}"}` });
    expect([large.status, large.json().error.code]).toEqual([413, 'BODY_TOO_LARGE']);
    const form = await fetch(`${api.url}/v1/inbox/ack`, {
      method: 'POST',
      headers: { authorization: 'Bearer agent-secret', 'content-type': 'text/plain' },
      body: 'x',
    });
    expect(form.status).toBe(415);
    expect((await api.call('GET', '/v1/nothing')).json().error.code).toBe('ROUTE_UNKNOWN');
  });

  test('/openapi.json describes every route: summary, who, shapes, codes', async () => {
    const document = (await api.call('GET', '/openapi.json', { as: null })).json();
    for (const { method, url, roles, endpoint } of routes) {
      const described = document.paths[url.replace(':id', '{id}')]?.[method.toLowerCase()];
      expect(described, `${method} ${url}`).toBeDefined();
      expect(described.summary).toBe(endpoint.summary);
      expect(described.description).toContain(`For: ${roles.join(', ')}.`);
      expect(Object.keys(described.responses)).toEqual(expect.arrayContaining(['200', '401', '403', '503']));
      for (const code of endpoint.codes) expect(JSON.stringify(described.responses)).toContain(code);
    }
    expect(document.components.schemas.Record.properties).toHaveProperty('trust');
    const lease = document.paths['/v1/inbox/lease'].post.requestBody.content['application/json'].schema;
    expect(JSON.stringify(lease)).toContain('wait_seconds');
  });

  test('/docs is served from here alone', async () => {
    const page = await fetch(`${api.url}/docs`);
    expect(page.status).toBe(200);
    const html = await page.text();
    expect([...html.matchAll(/(?:src|href)="(https?:)?\/\//g)]).toEqual([]);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
  });

  test('S35: with the database away every answer is 503, never an empty one', async () => {
    const away = await startApi();
    await away.pool.query('select 1');
    await away.database.drop();
    for (const path of ['/v1/records', '/v1/badges']) {
      const answer = await away.call('GET', path);
      expect(answer.status).toBe(503);
      expect(answer.json().error.code).toBe('DATABASE_UNREACHABLE');
      expect(answer.headers.get('retry-after')).toBe('5');
    }
    await away.stop();
  });
});
