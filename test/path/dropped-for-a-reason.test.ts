import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { defaultDirectory, type Product, startProduct } from '../helpers/start-product.ts';
import { hasPostgres, queueBackends } from '../helpers/stores.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { childrenOf, remotePortsOf } from './sockets-of.ts';

const portOf = (url: string): number => Number(new URL(url).port);

const directory = {
  principals: [
    ...defaultDirectory.principals,
    { id: 'user_44', kind: 'human', tenant: 'acme', projects: [] },
    { id: 'svc_ops', kind: 'service', tenant: 'acme' },
  ],
  bindings: [
    ...defaultDirectory.bindings,
    {
      id: 'bnd_ungranted',
      pack: 'issues',
      principal: 'user_43',
      account: 'installation:99',
      project: 'apollo',
    },
    {
      id: 'bnd_outsider',
      pack: 'issues',
      principal: 'user_44',
      account: 'installation:88',
      project: 'apollo',
    },
    { id: 'bnd_homeless', pack: 'issues', principal: 'user_42', account: 'installation:66' },
    { id: 'bnd_ship', pack: 'mail', principal: 'user_42', account: 'ship@example.com', mode: 'mothership' },
  ],
  grants: [
    ...defaultDirectory.grants,
    { id: 'g_44', principal: 'user_44', capability: 'sense.enable', pack: 'issues' },
    // A command may be granted to somebody who granted no Sense.
    { id: 'g_exec', principal: 'user_43', capability: 'verb.exec.read', pack: 'issues' },
  ],
  // The watcher was never activated.
  activation: { mail: 'on', issues: 'on' },
};

const issueOpened = (installation: number, title = 'It fails') => ({
  action: 'opened',
  issue: { id: 1, number: 12, title },
  installation: { id: installation },
  sender: { login: 'octo-example', id: 42 },
});

describe.skipIf(!hasPostgres).each(queueBackends)(
  'dropped, with a reason, on $kind',
  { timeout: 90_000 },
  (backend) => {
    let product: Product;
    beforeAll(async () => {
      product = await startProduct({ queueUrl: await backend.url(), directory });
      return product.stop;
    });

    /** Dropped for this reason, listed, counted, and of no consequence. */
    const expectDrop = async (source: string, delivery: string, reason: string): Promise<void> => {
      expect(await product.decisionOf(source, delivery)).toMatchObject({ outcome: 'dropped', reason });
      const listed = await product.api('GET', `/v1/drops?delivery_id=${delivery}`, { as: 'ops' });
      expect(listed.json()).toMatchObject({ drops: [{ delivery_id: delivery, reason }] });
      expect(await product.count('records', `delivery_id = '${delivery}'`)).toBe(0);
      const metrics = await product.api('GET', '/metrics', { as: null });
      expect(metrics.text).toMatch(
        new RegExp(`hcp_sense_announcements_total\\{[^}]*decision="${reason}"[^}]*\\} [1-9]`),
      );
      expect(product.runtime.calls()).toEqual([]);
    };

    const isReported = (delivery: string): boolean =>
      product
        .the('all')
        .logs()
        .some(
          (line) =>
            line.level === 'warn' && line.msg === 'announcement.dropped' && line.delivery === delivery,
        );

    test('S10: a ref that is not declared is dropped and reported, and nothing of it is delivered', async () => {
      const { status, deliveryId } = await product.deliver.mail({
        ref: 'never.declared',
        id: 'x',
        account: 'inbox@example.com',
        data: { id: 'm1' },
      });
      expect(status).toBe(202);
      await expectDrop('mail-hook', deliveryId, 'ref_undeclared');
      await waitFor('it is reported', () => isReported(deliveryId));
    });

    test('S11 S17 S27: without sense.enable it is dropped, whatever commands are granted, and its payload is nowhere (G6)', async () => {
      const marker = 'kept-nowhere-7f3a';
      await product.deliver.github('issues', issueOpened(99, marker), 'gh-ungranted');
      await expectDrop('github', 'gh-ungranted', 'sense_not_granted');
      expect(isReported('gh-ungranted')).toBe(false);
      const { rows } = await product.pool.query<{ found: string }>(
        `select table_name as found from information_schema.tables where table_schema = 'sense' and table_type = 'BASE TABLE'`,
      );
      expect(rows.length).toBeGreaterThan(5);
      for (const { found } of rows) {
        const { rowCount } = await product.pool.query(
          `select from sense.${found} t where strpos(t::text, $1) > 0`,
          [marker],
        );
        expect({ table: found, rows: rowCount }).toEqual({ table: found, rows: 0 });
      }
      expect(JSON.stringify(product.the('all').logs())).not.toContain(marker);
    });

    test('S12 S35: a pack that was never activated is off: 202 for the producer, nothing delivered', async () => {
      const { status, deliveryId } = await product.deliver.watcher({
        ref: 'file.changed',
        id: 'w',
        data: { path: 'a' },
      });
      expect(status).toBe(202);
      await expectDrop('watcher-hook', deliveryId, 'sense_off');
    });

    test('S35: an account that nobody has, or none at all, is never the first account', async () => {
      for (const account of ['stranger@example.com', undefined]) {
        const { deliveryId } = await product.deliver.mail({
          ref: 'new_item',
          id: `no-${account}`,
          data: { id: 'm1' },
          ...(account === undefined ? {} : { account }),
        });
        await expectDrop('mail-hook', deliveryId, 'binding_unknown');
        await waitFor('it is reported', () => isReported(deliveryId));
      }
    });

    test('S18: brain without a project is dropped and reported', async () => {
      await product.deliver.github('issues', issueOpened(66), 'gh-homeless');
      await expectDrop('github', 'gh-homeless', 'project_required');
      await waitFor('it is reported', () => isReported('gh-homeless'));
    });

    test('S19: a path that leads out of the workspace is dropped and reported, one inside is not', async () => {
      await product.api('PUT', '/v1/packs/watcher/activation', { as: 'ops', body: { sense: 'on' } });
      const out = await product.deliver.watcher({
        ref: 'file.changed',
        id: 'out',
        data: { path: '../../etc/passwd' },
      });
      await expectDrop('watcher-hook', out.deliveryId, 'workspace_outside');
      await waitFor('it is reported', () => isReported(out.deliveryId));
      const inside = await product.deliver.watcher({
        ref: 'file.changed',
        id: 'in',
        data: { path: 'notes/../a.md' },
      });
      expect(await product.decisionOf('watcher-hook', inside.deliveryId)).toMatchObject({
        outcome: 'recorded',
      });
    });

    test('S36: a mothership Binding is out of reach for a person, until an elevation names it', async () => {
      const shipped = (id: string) =>
        product.deliver.mail({ ref: 'item.updated', id, account: 'ship@example.com', data: {} });
      const before = await shipped('ship-1');
      await expectDrop('mail-hook', before.deliveryId, 'elevation_required');
      await waitFor('it is reported', () => isReported(before.deliveryId));

      const granted = await product.api('PUT', '/v1/directory/grants/g_ship', {
        as: 'ops',
        body: { principal: 'user_42', elevation: 'bnd_ship' },
      });
      expect(granted.status).toBe(200);
      const after = await shipped('ship-2');
      expect(await product.decisionOf('mail-hook', after.deliveryId)).toMatchObject({ outcome: 'recorded' });
    });

    test('S20 G5: nothing in a payload or a header chooses tenant, Principal, Binding, land, project, pack or verb', async () => {
      const claims = {
        id: 'm1',
        tenant_id: 'globex',
        tenant: 'globex',
        principal: { id: 'user_43', kind: 'service' },
        binding_id: 'bnd_43',
        land: 'brain',
        project_id: 'zeus',
        pack_id: 'issues',
        verb_key: 'mail.send',
        confirm: true,
      };
      const body = JSON.stringify({
        ref: 'new_item',
        id: 'claims',
        account: 'inbox@example.com',
        data: claims,
      });
      const { deliveryId } = await product.post('mail-hook', body, {
        ...product.signed.mail(body),
        'x-tenant-id': 'globex',
        'x-principal-id': 'user_43',
      });
      expect(await product.decisionOf('mail-hook', deliveryId)).toMatchObject({ outcome: 'recorded' });
      const { rows } = await product.pool.query(
        'select tenant_id, principal_id, binding_id, land, project_id, pack_id from sense.records where delivery_id = $1',
        [deliveryId],
      );
      expect(rows).toEqual([
        {
          tenant_id: 'acme',
          principal_id: 'user_42',
          binding_id: 'bnd_mail',
          land: 'personal',
          project_id: null,
          pack_id: 'mail',
        },
      ]);
      await waitFor('the wake ran', () => product.runtime.ran('mail.get').length > 0);
      for (const call of product.runtime.calls()) {
        expect(call).toMatchObject({ tenant_id: 'acme', project_id: null, principal: { id: 'sense-wake' } });
        expect(['mail.list', 'mail.get']).toContain(call.verb_key);
        expect(JSON.stringify(call.args)).not.toContain('confirm');
      }
    });

    test('S18: a brain record is withheld from everybody until its Principal is a member; then it is leased and woken', async () => {
      const lists = product.runtime.ran('issues.list').length;
      await product.deliver.github('issues', issueOpened(88), 'gh-withheld');
      expect(await product.decisionOf('github', 'gh-withheld')).toMatchObject({ outcome: 'recorded' });
      const leased = async () =>
        (await product.lease({ max: 100, principal: 'user_44' })).records.map(
          ({ delivery_id }) => delivery_id,
        );
      const browsed = async (as: 'agent' | 'ops') =>
        (await product.api('GET', '/v1/records?delivery_id=gh-withheld', { as })).json();
      const unread = async () => (await product.api('GET', '/v1/badges?principal=user_44')).json();
      // Longer than a first offer of its wake takes.
      await sleep(1_500);
      expect(await leased()).toEqual([]);
      expect(await browsed('agent')).toMatchObject({ records: [] });
      expect(await unread()).toMatchObject({ unread: 0 });
      expect(product.runtime.ran('issues.list')).toHaveLength(lists);

      // A member of another project of the same tenant is as far away as before.
      const join = (projects: string[]) =>
        product.api('PUT', '/v1/directory/principals/user_44', {
          as: 'ops',
          body: { kind: 'human', tenant: 'acme', projects },
        });
      expect((await join(['zeus'])).status).toBe(200);
      expect(await leased()).toEqual([]);
      expect((await join(['apollo'])).status).toBe(200);
      expect(await unread()).toMatchObject({ unread: 1 });
      expect(await leased()).toEqual(['gh-withheld']);
      expect(await browsed('agent')).toMatchObject({
        records: [{ delivery_id: 'gh-withheld', project_id: 'apollo' }],
      });
      await waitFor('it woke', () => product.runtime.ran('issues.list').length > lists, {
        timeoutMs: 60_000,
      });
      expect(product.runtime.ran('issues.list').at(-1)).toMatchObject({ project_id: 'apollo' });
    });
  },
);

describe.skipIf(!hasPostgres).each(queueBackends)(
  'of itself it does nothing, on $kind',
  { timeout: 90_000 },
  (backend) => {
    const storePorts = (product: Product) => [portOf(product.databaseUrl), portOf(product.queueUrl)];

    test('S24 S37: with no delivery there is no record and no call, whatever is asked of its health', async () => {
      const product = await startProduct({ queueUrl: await backend.url() });
      onTestFinished(product.stop);
      const { pid, url } = product.the('all');
      const until = Date.now() + 4_000;
      const connectedTo = new Set<number>();
      while (Date.now() < until) {
        for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json']) {
          expect((await product.request('GET', path)).status).toBe(200);
        }
        for (const port of await remotePortsOf(pid, portOf(url))) connectedTo.add(port);
        await sleep(100);
      }
      const { stdout } = await product.cli('doctor');
      expect(stdout).toContain('A 2xx means');
      for (const table of ['records', 'drops', 'wakes', 'batches', 'dead_letters'] as const) {
        expect({ table, rows: await product.count(table) }).toEqual({ table, rows: 0 });
      }
      expect(product.runtime.calls()).toEqual([]);
      // It asks nobody: there is no connection but those to its own stores.
      expect(connectedTo.size).toBeGreaterThan(0);
      expect(storePorts(product)).toEqual(expect.arrayContaining([...connectedTo]));
    });

    test('S15: with wakes off, recording runs no command, starts nothing and calls nobody', async () => {
      const product = await startProduct({
        queueUrl: await backend.url(),
        config: { wakes: [], execute: undefined },
      });
      onTestFinished(product.stop);
      const sent = await Promise.all([
        product.deliver.mail({ ref: 'new_item', id: '1', account: 'inbox@example.com', data: { id: 'm1' } }),
        product.deliver.mail({
          ref: 'binding.degraded',
          id: '2',
          account: 'inbox@example.com',
          state: 'expired',
        }),
        product.deliver.github('issues', issueOpened(77)),
        product.deliver.watcher({ ref: 'file.changed', id: '3', data: { path: 'a' } }),
      ]);
      expect(sent.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
      const { pid, url } = product.the('all');
      const connectedTo = new Set<number>();
      await waitFor('all are recorded', async () => {
        for (const port of await remotePortsOf(pid, portOf(url))) connectedTo.add(port);
        return (await product.count('records')) === 4;
      });
      await sleep(1_000);
      for (const port of await remotePortsOf(pid, portOf(url))) connectedTo.add(port);
      expect(storePorts(product)).toEqual(expect.arrayContaining([...connectedTo]));
      expect(await childrenOf(pid)).toBe('');
      expect(product.runtime.calls()).toEqual([]);
      expect(await product.count('wakes')).toBe(0);
      // Nothing was granted to anybody, and no Binding appeared, by recording.
      const { rows } = await product.pool.query<{ grants: number; bindings: number }>(
        'select (select count(*) from sense.grants)::int as grants, (select count(*) from sense.bindings)::int as bindings',
      );
      expect(rows).toEqual([
        { grants: defaultDirectory.grants.length, bindings: defaultDirectory.bindings.length },
      ]);
    });

    test('S35: while a look-up errs nothing is delivered; the event waits and is decided when it can be', async () => {
      const product = await startProduct({ queueUrl: await backend.url() });
      onTestFinished(product.stop);
      await product.pool.query('alter table sense.grants rename to grants_away');
      const { status, deliveryId } = await product.deliver.mail({
        ref: 'new_item',
        id: 'waits',
        account: 'inbox@example.com',
        data: { id: 'm1' },
      });
      expect(status).toBe(202);
      await waitFor('the worker meets the fault', () =>
        product
          .the('all')
          .logs()
          .some(({ msg }) => msg === 'batch.waits'),
      );
      await sleep(1_000);
      for (const table of ['records', 'drops', 'wakes', 'dead_letters'] as const) {
        expect({ table, rows: await product.count(table) }).toEqual({ table, rows: 0 });
      }
      expect(product.runtime.calls()).toEqual([]);
      await product.pool.query('alter table sense.grants_away rename to grants');
      expect(await product.decisionOf('mail-hook', deliveryId)).toMatchObject({ outcome: 'recorded' });
    });
  },
);

describe.skipIf(!hasPostgres)('refused at the start', { timeout: 60_000 }, () => {
  const startOf = async (
    prepare: (product: Product) => Promise<{ env?: Record<string, string> } | undefined>,
    config: Record<string, unknown> = {},
  ): Promise<{ code: number | null; said: string }> => {
    const product = await startProduct({
      queueUrl: 'redis://127.0.0.1:1',
      roles: [],
      directory: null,
      config,
    });
    onTestFinished(product.stop);
    const started = product.launch('all', (await prepare(product)) ?? {});
    const { code } = await started.ended;
    return {
      code,
      said: [...started.noise(), ...started.logs().map((line) => JSON.stringify(line))].join('\n'),
    };
  };

  test('S38 S05: roles, allow-lists, tenants, keys, limits, schedules and paths in policy.json', async () => {
    const foreign = {
      roles: ['admin'],
      allow_list: ['a'],
      tenant_id: 'acme',
      api_key: 'k',
      rate_limit: 5,
      schedule: '* * * * *',
      host_path: '/srv',
    };
    const { code, said } = await startOf(async (product) => {
      const file = join(product.home, 'packs', 'mail', 'policy.json');
      const policy = JSON.parse(await readFile(file, 'utf8')) as object;
      await writeFile(file, JSON.stringify({ ...policy, ...foreign }));
      return undefined;
    });
    expect(code).toBe(2);
    expect(said).toContain('PACK_FAULTY');
    for (const key of Object.keys(foreign)) expect(said).toContain(key);
    expect(said).not.toContain('process.ready');
  });

  test('S01: a ref that only one of the two files declares', async () => {
    const { code, said } = await startOf(async (product) => {
      const file = join(product.home, 'packs', 'mail', 'policy.json');
      const policy = JSON.parse(await readFile(file, 'utf8')) as { stimuli: Record<string, unknown> };
      delete policy.stimuli.new_item;
      await writeFile(file, JSON.stringify(policy));
      return undefined;
    });
    expect(code).toBe(2);
    expect(said).toContain('PACK_FAULTY');
    expect(said).toContain('new_item');
  });

  test('S35: a secret that is not there, however much else the environment holds', async () => {
    const { code, said } = await startOf(async () => ({
      env: { EXEC_TOKEN: ' ', HCP_TOKEN: 'x', GITHUB_TOKEN: 'x', TOKEN: 'x' },
    }));
    expect(code).toBe(2);
    expect(said).toContain('SECRET_UNUSABLE');
    expect(said).toContain('EXEC_TOKEN');
  });

  const wakeTo = (verb: string, args: object = {}) => ({
    wakes: [{ id: 'w', on: { pack: 'mail', ref: 'new_item' }, steps: [{ pack: 'mail', verb, args }] }],
  });

  test.each([
    ['a wake that would run a connect command', wakeTo('mail.connect'), 'mail.connect'],
    ['a wake that would confirm', wakeTo('mail.send', { confirm: true }), 'confirm'],
    ['a wake to which Execute granted nothing', wakeTo('mail.send'), 'verb.exec.write'],
  ])('S17 S28 S29 S35: %s', async (_what, config, named) => {
    const { code, said } = await startOf(async () => undefined, config);
    expect(code).toBe(2);
    expect(said).toContain('CONFIG_INVALID');
    expect(said).toContain(named);
  });
});
