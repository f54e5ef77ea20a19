import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sampleAnnouncement, sampleBatch } from '../helpers/samples.ts';
import { hasPostgres } from '../helpers/stores.ts';
import { startApi, type TestApi } from './start-api.ts';

describe.skipIf(!hasPostgres)('the directory over HTTP', () => {
  let api: TestApi;
  beforeEach(async () => {
    api = await startApi();
  });
  afterEach(() => api.stop());

  const admin = (method: string, path: string, body?: unknown) =>
    api.call(method, path, { as: 'admin', ...(body === undefined ? {} : { body }) });

  test('a Principal, its Binding and its grant are made, changed and taken away', async () => {
    const steps: [string, string, unknown, number, string][] = [
      ['PUT', '/v1/directory/principals/user_7', { kind: 'human' }, 200, 'created'],
      ['PUT', '/v1/directory/principals/user_7', { kind: 'human' }, 200, 'unchanged'],
      ['PUT', '/v1/directory/principals/user_7', { kind: 'human', projects: ['apollo'] }, 200, 'updated'],
      [
        'PUT',
        '/v1/directory/bindings/bnd_7',
        { pack: 'mail', principal: 'user_7', account: 'seven@example.com' },
        200,
        'created',
      ],
      [
        'PUT',
        '/v1/directory/grants/g_7',
        { principal: 'user_7', capability: 'sense.enable', pack: 'mail' },
        200,
        'created',
      ],
      ['PUT', '/v1/packs/mail/activation', { sense: 'off' }, 200, 'updated'],
      ['PUT', '/v1/packs/mail/activation', { sense: 'on' }, 200, 'updated'],
    ];
    for (const [method, path, body, status, change] of steps) {
      const answer = await admin(method, path, body);
      expect([path, answer.status, answer.json().change]).toEqual([path, status, change]);
    }
    const mine = sampleAnnouncement({ accounts: ['seven@example.com'] });
    expect((await api.record(mine)).records[0]?.decision.attribution).toEqual({
      tenant: 'acme',
      principal: { id: 'user_7', kind: 'human' },
      binding: 'bnd_7',
      land: 'personal',
      project: null,
    });

    expect((await admin('DELETE', '/v1/directory/principals/user_7')).json().error).toMatchObject({
      code: 'DIRECTORY_INVALID',
      message: expect.stringContaining('bindings'),
    });
    for (const path of ['grants/g_7', 'bindings/bnd_7', 'principals/user_7']) {
      expect((await admin('DELETE', `/v1/directory/${path}`)).json().change).toBe('removed');
      expect((await admin('DELETE', `/v1/directory/${path}`)).json().error.code).toBe('DIRECTORY_UNKNOWN');
    }
  });

  test.each([
    ['principals/x', { kind: 'human', role: 'boss' }, 'REQUEST_INVALID', 'unknown key "role"'],
    ['principals/x', { kind: 'human', project: ['a'] }, 'REQUEST_INVALID', 'did you mean "projects"?'],
    ['bindings/x', { pack: 'mial', principal: 'user_42' }, 'REQUEST_INVALID', 'did you mean "mail"?'],
    [
      'bindings/x',
      { pack: 'mail', principal: 'nobody' },
      'DIRECTORY_INVALID',
      'there is no principal "nobody"',
    ],
    [
      'bindings/x',
      { pack: 'mail', principal: 'user_42', tenant: 'globex' },
      'DIRECTORY_INVALID',
      'is of "acme"',
    ],
    ['bindings/x', { pack: 'mail', principal: 'user_42', mode: 'admin' }, 'REQUEST_INVALID', 'body.mode'],
    ['grants/x', { principal: 'user_42' }, 'REQUEST_INVALID', 'neither capability and pack nor elevation'],
    [
      'grants/x',
      { principal: 'user_42', elevation: 'bnd_none' },
      'DIRECTORY_INVALID',
      'no binding "bnd_none"',
    ],
    [
      'grants/x',
      { principal: 'user_42', elevation: 'bnd_mail', pack: 'mail' },
      'REQUEST_INVALID',
      'does not go with',
    ],
    [
      'grants/x',
      { principal: 'user_42', capability: 'sense', pack: 'mail' },
      'REQUEST_INVALID',
      'body.capability',
    ],
    [
      'grants/x',
      { principal: 'user_42', capability: 'sense.enable', pack: 'mail', verb_keys: ['v'] },
      'REQUEST_INVALID',
      'goes with verb.exec.* only',
    ],
  ])('S27, S34, S36: %s refuses %j', async (path, body, code, message) => {
    const answer = await admin('PUT', `/v1/directory/${path}`, body);
    expect(answer.json().error).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test('a pack that is not loaded has no activation', async () => {
    const answer = await admin('PUT', '/v1/packs/nothing/activation', { sense: 'on' });
    expect([answer.status, answer.json().error.code]).toEqual([404, 'PACK_UNKNOWN']);
  });

  test('S20: a Binding follows the tenant of its Principal', async () => {
    await admin('PUT', '/v1/directory/principals/user_42', { kind: 'human', tenant: 'globex' });
    const { records } = await api.record(sampleAnnouncement());
    expect(records[0]?.decision.attribution.tenant).toBe('globex');
  });

  test('S17: a grant to run commands enables no Sense, and sense.enable stays what it is', async () => {
    await admin('DELETE', '/v1/directory/grants/g_mail');
    for (const capability of ['verb.exec.read', 'verb.exec.write', 'pack.connect']) {
      await admin('PUT', `/v1/directory/grants/${capability}`, {
        principal: 'user_42',
        capability,
        pack: 'mail',
      });
    }
    const { records, drops } = await api.record(sampleAnnouncement());
    expect(records).toEqual([]);
    expect(drops[0]?.drop.reason).toBe('sense_not_granted');
  });

  test('S36: a mothership Binding is reached with an elevation grant only, and no longer than it lasts', async () => {
    await admin('PUT', '/v1/directory/bindings/bnd_fleet', {
      pack: 'mail',
      principal: 'user_42',
      account: 'fleet@example.com',
      mode: 'mothership',
    });
    const outcome = async () => {
      const { records, drops } = await api.record(sampleAnnouncement({ accounts: ['fleet@example.com'] }));
      return records.length === 1 ? 'recorded' : drops[0]?.drop.reason;
    };
    expect(await outcome()).toBe('elevation_required');
    const elevation = await admin('PUT', '/v1/directory/grants/up', {
      principal: 'user_42',
      elevation: 'bnd_fleet',
    });
    expect(elevation.json().change).toBe('created');
    expect(await outcome()).toBe('recorded');
    await admin('DELETE', '/v1/directory/grants/up');
    expect(await outcome()).toBe('elevation_required');
  });

  test.each([
    ['a revoke', 'DELETE', '/v1/directory/grants/g_mail', undefined, 'sense_not_granted'],
    ['turning Sense off', 'PUT', '/v1/packs/mail/activation', { sense: 'off' }, 'sense_off'],
  ])(
    'G3: %s waits for the batches that read the old facts, and nothing is recorded after it',
    async (_, method, path, body, reason) => {
      const recorder = await api.pool.connect();
      await recorder.query('begin; select pg_advisory_xact_lock_shared(386142, 1)');

      let returned = false;
      const change = admin(method, path, body).then((answer) => {
        returned = true;
        return answer;
      });
      const waiting = async () =>
        (
          await api.pool.query(
            `select count(*)::int as count from pg_locks where locktype = 'advisory' and classid = 386142 and not granted
             and database = (select oid from pg_database where datname = current_database())`,
          )
        ).rows[0].count;
      await expect.poll(waiting).toBe(1);
      expect(returned).toBe(false);
      // A batch that comes while the change waits stands behind it, and sees the new facts.
      const later = api.record(...sampleBatch(sampleAnnouncement()).announcements);
      await expect.poll(waiting).toBe(2);
      await recorder.query('commit');
      recorder.release();

      expect((await change).status).toBe(200);
      const outcome = await later;
      expect(outcome.records).toEqual([]);
      expect(outcome.drops[0]?.drop.reason).toBe(reason);
    },
  );
});
