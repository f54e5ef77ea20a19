import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { isAlive } from '../../src/embedded/is-alive.ts';
import { type Product, type ProductProcess, startProduct } from '../helpers/start-product.ts';
import { hasPostgres, queueBackends } from '../helpers/stores.ts';
import { waitFor } from '../helpers/wait-for.ts';

type State = { source: string; state: string; pid: number | null; starts: number; bad_runs: number };

const statesOf = async (process: ProductProcess): Promise<State[]> =>
  ((await process.readiness()).body as unknown as { processes: State[] }).processes;

/** Names of the test's own run for every process, so that one left behind is found at the end of the run. */
const env = ['PATH', 'SENSE_TEST_RUN'];

const oneSource = (usual: Record<string, unknown>, source: Record<string, unknown>, home: string) => ({
  ...usual,
  wakes: [],
  sources: [{ type: 'process', pack: 'watcher', cwd: join(home, 'workspace'), env, ...source }],
});
const homeOf = (usual: Record<string, unknown>) =>
  (usual.packs as { dir: string }[])[0]?.dir.replace(/\/packs\/mail$/, '') ?? '';

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
};

/** Processes that run `emit.mjs` of this product, by whoever started them. */
const emitters = async (home: string): Promise<number[]> => {
  const found: number[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.split('\0')[1] === join(home, 'packs', 'watcher', 'emit.mjs')) found.push(Number(pid));
  }
  return found;
};

describe.skipIf(!hasPostgres).each(queueBackends)('a pack process, end to end, on $kind', (backend) => {
  let product: Product;
  let workspace: string;

  beforeAll(async () => {
    product = await startProduct({
      queueUrl: await backend.url(),
      config: (usual) => ({
        ...usual,
        sources: [
          {
            id: 'ws',
            type: 'process',
            pack: 'watcher',
            // As the contract has it: relative to the configuration, though it runs in its workspace.
            command: ['node', 'packs/watcher/emit.mjs'],
            cwd: join(homeOf(usual), 'workspace'),
            env,
            binding: 'bnd_ws',
          },
          {
            id: 'teller',
            type: 'process',
            pack: 'watcher',
            // Says whatever is appended to a file beside its workspace.
            command: ['tail', '-n', '+1', '-F', '../told'],
            cwd: join(homeOf(usual), 'workspace'),
            env,
            binding: 'bnd_ws',
          },
        ],
      }),
    });
    workspace = join(product.home, 'workspace');
    await waitFor('the watcher watches', () =>
      product
        .the('all')
        .logs()
        .some(({ msg, said }) => msg === 'process.said' && String(said).startsWith('watching')),
    );
  });
  afterAll(() => product.stop());

  const tell = (line: string | Buffer) =>
    appendFile(join(product.home, 'told'), Buffer.concat([Buffer.from(line), Buffer.from('\n')]));

  const recordOf = (event: string) =>
    waitFor(`the record of ${event}`, async () => {
      const { rows } = await product.pool.query(
        'select delivery_id, land, route, principal_id, binding_id, data::text from sense.records where event_id = $1',
        [event],
      );
      return rows[0];
    });

  test('S21 S25 S07 S14: an emit-only pack: a file changes, its process says so, an Invoker reads it as local land of the fixed Binding', async () => {
    await writeFile(join(workspace, 'today.md'), 'one');
    const leased = await waitFor('its record', async () => {
      await appendFile(join(workspace, 'today.md'), '.');
      const { leaseId, records } = await product.lease({ max: 100, ref: 'file.changed' });
      if (leaseId !== null) await product.api('POST', '/v1/inbox/ack', { body: { lease_id: leaseId } });
      return records.find(({ source_id }) => source_id === 'ws');
    });
    expect(leased).toMatchObject({
      tenant_id: 'acme',
      principal: { id: 'user_42', kind: 'human' },
      binding_id: 'bnd_ws',
      land: 'local',
      project_id: null,
      pack_id: 'watcher',
      ref: 'file.changed',
      route: 'inbox',
      data: { path: 'today.md' },
    });
    expect(leased.delivery_id).toMatch(/^ws-[0-9a-f]{10}-\d+$/);
    expect(await product.decisionOf('ws', leased.delivery_id)).toMatchObject({ outcome: 'recorded' });
  });

  test('G9: data of a line is kept to the very character', async () => {
    const data = '{"path":"a.md","big":9007199254740993,"b":1,"a":2,"a":3,"nul":"\\u0000","half":"\\ud800"}';
    await tell(`{"ref":"file.changed","id":"verbatim","data":${data}}`);
    expect(await recordOf('verbatim')).toMatchObject({ data, land: 'local', binding_id: 'bnd_ws' });
  });

  test('S19 G6: a path out of the workspace is dropped: by dots, absolute, and over a link', async () => {
    await symlink('/etc', join(workspace, 'out')).catch(() => undefined);
    const paths = ['../secret', '/etc/passwd', 'out/passwd', 'out/../../secret'];
    for (const [index, path] of paths.entries())
      await tell(JSON.stringify({ ref: 'file.changed', id: `out-${index}`, data: { path, x: 'PRIVATE' } }));
    await tell('{"ref":"file.changed","id":"in","data":{"path":"deep/../in.md"}}');
    await recordOf('in');
    const { rows } = await product.pool.query(
      `select event_id, reason, rule, d.*::text as row from sense.drops d where event_id like 'out-%' order by event_id`,
    );
    expect(rows.map(({ reason }) => reason)).toEqual(Array(4).fill('workspace_outside'));
    expect(rows.map(({ rule }) => rule)).toEqual([
      'follow-links',
      'follow-links',
      'follow-links',
      'follow-links',
    ]);
    expect(JSON.stringify(rows)).not.toContain('PRIVATE');
    expect(await product.count('records', `event_id like 'out-%'`)).toBe(0);
  });

  test('S10 G2: an undeclared ref and a line that is no announcement are drops that can be explained', async () => {
    await tell('{"ref":"file.renamed","id":"undeclared"}');
    await tell('CONFIDENTIAL {');
    await tell(Buffer.from([0x7b, 0xff, 0x7d]));
    await tell('{"ref":"file.changed","id":"after"}');
    const { delivery_id: after } = await recordOf('after');
    const [, run = '', no = ''] = /^teller-([0-9a-f]+)-(\d+)$/.exec(after) ?? [];
    const explain = (back: number) => product.decisionOf('teller', `teller-${run}-${Number(no) - back}`);
    expect(await explain(3)).toMatchObject({ outcome: 'dropped', reason: 'ref_undeclared' });
    expect(await explain(2)).toMatchObject({
      outcome: 'dropped',
      reason: 'announcement_invalid',
      rule: 'read-line',
    });
    expect(await explain(1)).toMatchObject({
      reason: 'announcement_invalid',
      why: expect.stringContaining('UTF-8'),
    });
    const metrics = (await product.request('GET', '/metrics')).text;
    expect(metrics).toMatch(/deliveries_total\{source="teller",status="400",code="BODY_MALFORMED"\} 2/);
    expect(metrics).toMatch(/hcp_sense_process_up\{source="teller"\} 1/);
    expect(JSON.stringify(product.the('all').logs())).not.toContain('CONFIDENTIAL');
  });

  test('a second process of the deployment waits, and takes over when the first is gone', async () => {
    const first = product.the('all');
    const second = await product.start('ingress');
    onTestFinished(async () => {
      await second.kill('SIGTERM');
    });
    expect((await statesOf(second)).map(({ state }) => state)).toEqual(['standby', 'standby']);
    expect(await emitters(product.home)).toHaveLength(1);
    await first.kill('SIGKILL');
    await waitFor('the second runs them', async () =>
      (await statesOf(second)).every(({ state }) => state === 'running'),
    );
    await waitFor('one emitter', async () => (await emitters(product.home)).length === 1);
    const worker = await product.start('worker');
    expect(await statesOf(worker)).toEqual([]);
    await tell('{"ref":"file.changed","id":"taken-over"}');
    await recordOf('taken-over');
    await worker.kill('SIGTERM');
  });
});

describe.skipIf(!hasPostgres)('when we end, in whatever way', () => {
  const startOne = async (source: Record<string, unknown>, over: Record<string, unknown> = {}) => {
    const product = await startProduct({
      queueUrl: (await queueBackends.at(-1)?.url()) ?? '',
      config: (usual) => ({ ...oneSource(usual, source, homeOf(usual)), ...over }),
    });
    onTestFinished(() => product.stop());
    return product;
  };
  const watcher = { id: 'ws', command: ['node', 'packs/watcher/emit.mjs'], binding: 'bnd_ws' };

  test('killed: its process ends with it, and the next start runs one', async () => {
    const product = await startOne(watcher);
    const [first = 0] = await waitFor('it runs', async () => {
      const found = await emitters(product.home);
      return found.length === 1 && found;
    });
    await product.the('all').kill('SIGKILL');
    await waitFor('its process has ended', () => !isAlive(first));
    await product.start('all');
    await waitFor('one runs again', async () => (await emitters(product.home)).length === 1);
    await product.the('all').kill('SIGTERM');
    expect(await emitters(product.home)).toEqual([]);
  });

  test('killed together with the keeper: the next start ends what is left before it starts another', async () => {
    const script = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";
    const product = await startOne({ id: 'stubborn', command: ['node', '-e', script], binding: 'bnd_ws' });
    const pidOf = async () => (await statesOf(product.the('all')))[0]?.pid ?? 0;
    const first = await waitFor('it runs', pidOf);
    await waitFor('its mark is written', async () =>
      (await readdir(join(product.home, '.sense', 'run')).catch((): string[] => [])).includes(
        'process-stubborn.json',
      ),
    );
    const own = product.the('all').pid;
    for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (command.includes('hcp-sense-keeper') && stat.includes(`) S ${own} `))
        process.kill(Number(pid), 'SIGKILL');
    }
    await product.the('all').kill('SIGKILL');
    expect(isAlive(first)).toBe(true);
    await product.start('all');
    const second = await waitFor('another runs', pidOf);
    expect(second).not.toBe(first);
    expect(isAlive(first)).toBe(false);
    expect(
      product
        .the('all')
        .logs()
        .map(({ msg }) => msg),
    ).toContain('process.left_over');
  });

  test('a crash loop shows in /readyz and in metrics, does not turn them red, and ends by itself', async () => {
    const product = await startOne({
      id: 'broken',
      command: ['sh', '-c', 'test -e mended && exec sleep 1000; exit 7'],
      binding: 'bnd_ws',
    });
    const ready = product.the('all');
    await waitFor('a loop', async () => (await statesOf(ready))[0]?.state === 'looping');
    const { status, body } = await ready.readiness();
    expect([status, body.ready]).toEqual([200, true]);
    expect(await statesOf(ready)).toMatchObject([{ source: 'broken', last_end: 'exit code 7' }]);
    const metrics = (await product.request('GET', '/metrics')).text;
    expect(
      Number(/hcp_sense_process_bad_runs\{source="broken"\} (\d+)/.exec(metrics)?.[1]),
    ).toBeGreaterThanOrEqual(5);
    await writeFile(join(product.home, 'workspace', 'mended'), '');
    await waitFor('it runs', async () => (await statesOf(ready))[0]?.pid);
    await rm(join(product.home, 'workspace', 'mended'));
  });

  test('nobody reads our stderr and stdout any more: the process that we run, and we, live on', async () => {
    const source = { id: 'teller', command: ['tail', '-n', '+1', '-F', '../told'], binding: 'bnd_ws' };
    const product = await startOne(source);
    await product.the('all').kill('SIGTERM');
    const port = await freePort();
    const child = spawn(
      process.execPath,
      [join('dist', 'src', 'main.js'), 'start', '--port', String(port), '--config', product.configFile],
      {
        env: {
          PATH: process.env.PATH,
          SENSE_TEST_RUN: process.env.SENSE_TEST_RUN,
          SENSE_HOME: product.home,
          DATABASE_URL: product.databaseUrl,
          QUEUE_URL: product.queueUrl,
          ...product.secrets,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    const ended = once(child, 'exit');
    onTestFinished(async () => {
      child.kill('SIGTERM');
      await ended;
    });
    child.stdout.destroy();
    child.stderr.destroy();
    const isUp = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok ?? false;
    await waitFor('it is ready', isUp);
    for (const id of ['a', 'b', 'c']) {
      await appendFile(join(product.home, 'told'), `garbage\n{"ref":"file.changed","id":"${id}"}\n`);
      await waitFor(
        `${id} is recorded`,
        async () => (await product.count('records', `event_id = '${id}'`)) === 1,
      );
    }
    expect(await isUp()).toBe(true);
    expect(child.exitCode).toBeNull();
  });

  test('a paused source is not started', async () => {
    const product = await startOne({ ...watcher, paused: true });
    expect(await statesOf(product.the('all'))).toEqual([]);
    expect(await emitters(product.home)).toEqual([]);
  });
});
