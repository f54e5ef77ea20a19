import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { cutOff, holdCommits, holdWrites } from '../helpers/hold-database.ts';
import { type Product, startProduct } from '../helpers/start-product.ts';
import { startQueueStore } from '../helpers/start-queue-store.ts';
import { hasPostgres, queueBackends } from '../helpers/stores.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { startLoad } from './start-load.ts';

const accounts = { bnd_mail: 'inbox@example.com', bnd_work: 'work@example.com', bnd_43: 'other@example.com' };

const newMail = (id: string, account = accounts.bnd_mail) => ({
  ref: 'new_item',
  id,
  account,
  data: { id: 'm1' },
});

/** Every wake of the runtime's log had its two steps run once, under the key of its own. */
const expectEachWakeOnce = async (product: Product, wakes: number): Promise<void> => {
  for (const verb of ['mail.list', 'mail.get']) {
    const keys = product.runtime.ran(verb).map(({ idempotency_key }) => idempotency_key);
    expect(keys).toHaveLength(wakes);
    expect(new Set(keys).size).toBe(wakes);
  }
  const { rows } = await product.pool.query(
    'select 1 from sense.wakes group by record_id, wake_rule having count(*) > 1',
  );
  expect(rows).toEqual([]);
};

/**
 * What a runner that was cut off holds comes back when its claim runs out, after two minutes, and a sweeper leaves fresh
 * offers alone for ten seconds: the rows are made that much older instead of waiting.
 */
const letTimePass = async (product: Product): Promise<void> => {
  await product.pool.query(`
    update sense.wakes set offered_at = offered_at - interval '3 minutes', due_at = due_at - interval '3 minutes',
      claimed_until = claimed_until - interval '3 minutes'
    where state in ('pending', 'running')`);
};

const recordedIds = async (product: Product): Promise<string[]> =>
  (await product.pool.query<{ event_id: string }>('select event_id from sense.records')).rows.map(
    ({ event_id }) => event_id,
  );

/** All of `ids`, each once, and nothing else. */
const expectExactly = async (product: Product, ids: readonly string[]): Promise<void> =>
  expect((await recordedIds(product)).sort()).toEqual([...ids].sort());

// These mostly wait for locks to run out, so they wait side by side.
describe.skipIf(!hasPostgres).each(queueBackends)(
  'killed for good, on $kind',
  { concurrent: true, timeout: 120_000 },
  (backend) => {
    test('G4 S16: a worker killed between commit and enqueue leaves each record once, and each wake runs once', async ({
      onTestFinished,
    }) => {
      const product = await startProduct({
        queueUrl: await backend.url(),
        roles: ['ingress', 'worker', 'wake'],
      });
      onTestFinished(product.stop);
      const ids = Array.from({ length: 20 }, (_, n) => `gap-${n}`);
      const commit = await holdCommits(product.databaseUrl, product.pool);
      await product.deliver.mail(ids.map((id) => newMail(id)));
      await waitFor('the worker has sent its COMMIT', () => commit.blocked('commit'));
      await product.the('worker').kill('SIGKILL');
      // Now Postgres commits, and nobody is there to hear it or to offer a wake.
      await commit.release();
      await waitFor('it is committed', async () => (await product.count('records')) === ids.length);
      await sleep(500);
      expect(product.runtime.calls()).toEqual([]);
      expect(await product.count('wakes', `state = 'pending'`)).toBe(ids.length);

      await letTimePass(product);
      await product.start('worker');
      await waitFor(
        'all wakes are over',
        async () => (await product.count('wakes', `state = 'done'`)) === ids.length,
        {
          timeoutMs: 90_000,
        },
      );
      await expectExactly(product, ids);
      await expectEachWakeOnce(product, ids.length);
    });

    test('G2 G8: a worker killed in the middle of a batch, with hundreds queued, records all once and in order', async ({
      onTestFinished,
    }) => {
      const product = await startProduct({
        queueUrl: await backend.url(),
        roles: ['ingress'],
        config: { wakes: [] },
      });
      onTestFinished(product.stop);
      const sent: Record<string, string[]> = { bnd_mail: [], bnd_work: [], bnd_43: [] };
      for (let round = 0; round < 8; round += 1) {
        const announcements = Array.from({ length: 25 }, (_, n) =>
          Object.entries(accounts).map(([binding, account]) => {
            const id = `${binding}-${round * 25 + n}`;
            sent[binding]?.push(id);
            return newMail(id, account);
          }),
        ).flat();
        expect((await product.deliver.mail(announcements)).status).toBe(202);
      }

      const middle = await holdWrites(product.databaseUrl, 'sense.records');
      const first = product.launch('worker');
      await waitFor('the worker is in the middle of a batch', () =>
        middle.blocked('insert into sense.records'),
      );
      await first.kill('SIGKILL');
      await middle.release();

      const second = await product.start('worker');
      await waitFor('all are recorded', async () => (await product.count('records')) === 600, {
        timeoutMs: 90_000,
      });
      expect(second.running()).toBe(true);
      await expectExactly(product, Object.values(sent).flat());
      for (const [binding, ids] of Object.entries(sent)) {
        const { rows } = await product.pool.query<{ event_id: string }>(
          'select event_id from sense.records where binding_id = $1 order by record_id',
          [binding],
        );
        expect(rows.map(({ event_id }) => event_id)).toEqual(ids);
      }
      expect(await product.count('dead_letters')).toBe(0);
    });

    test('G1: ingress killed under load has lost nothing that it answered 202', async ({
      onTestFinished,
    }) => {
      const product = await startProduct({
        queueUrl: await backend.url(),
        roles: ['ingress', 'worker'],
        config: { wakes: [] },
      });
      onTestFinished(product.stop);
      const load = startLoad(product, Object.values(accounts));
      onTestFinished(load.stop);
      await waitFor('load flows', () => load.accepted().length > 150);
      await product.the('ingress').kill('SIGKILL');
      await load.stop();
      const accepted = load.accepted();

      await waitFor('all accepted are recorded', async () => {
        const recorded = new Set(await recordedIds(product));
        return accepted.every((id) => recorded.has(id));
      });
      const recorded = await recordedIds(product);
      expect(new Set(recorded).size).toBe(recorded.length);
      // What was in the air when it died may be in, and nothing that was never sent.
      expect(load.sent()).toEqual(expect.arrayContaining(recorded));
    });

    test('G4: a queue that loses all it had after the commit loses no wake', async ({ onTestFinished }) => {
      const store = await startQueueStore(backend.kind);
      onTestFinished(store.stop);
      const product = await startProduct({ queueUrl: store.url, roles: ['ingress', 'worker'] });
      onTestFinished(product.stop);
      const ids = Array.from({ length: 15 }, (_, n) => `lost-${n}`);
      await product.deliver.mail(ids.map((id) => newMail(id)));
      await waitFor('all are recorded', async () => (await product.count('records')) === ids.length);
      await waitFor('the worker has offered the wakes', () =>
        product
          .the('worker')
          .logs()
          .some(({ msg, recorded }) => msg === 'batch.recorded' && recorded === ids.length),
      );
      await sleep(300);
      await store.loseEverything();

      await product.start('wake');
      await waitFor(
        'all wakes are over',
        async () => (await product.count('wakes', `state = 'done'`)) === ids.length,
        {
          timeoutMs: 90_000,
        },
      );
      await expectExactly(product, ids);
      await expectEachWakeOnce(product, ids.length);

      // And it is of use again: limits and queues are set anew.
      await product.deliver.mail(newMail('after'));
      await waitFor(
        'what comes later flows',
        async () => (await product.count('wakes', `state = 'done'`)) === ids.length + 1,
      );
    });

    test('S35 G1: the database goes away while events flow: not ready meanwhile, nothing lost, no restart needed', async ({
      onTestFinished,
    }) => {
      const product = await startProduct({
        queueUrl: await backend.url(),
        roles: ['ingress', 'worker', 'wake'],
      });
      onTestFinished(product.stop);
      const load = startLoad(product, Object.values(accounts), { lanes: 2, pauseMs: 20 });
      onTestFinished(load.stop);
      await waitFor('load flows', () => load.accepted().length > 20);

      const away = await cutOff(product.databaseUrl);
      const before = load.accepted().length;
      await waitFor('the worker says that it is not ready', async () => {
        const { status, body } = await product.the('worker').readiness();
        return status === 503 && body.checks.database?.ok === false && body.checks.queue?.ok === true;
      });
      await waitFor('ingress goes on taking deliveries', () => load.accepted().length > before + 20);
      await sleep(1_500);
      await away.restore();
      await load.stop();

      await letTimePass(product);
      await waitFor(
        'the worker is ready again',
        async () => (await product.the('worker').readiness()).status === 200,
      );
      const accepted = load.accepted();
      await waitFor('all accepted are recorded', async () => {
        const recorded = new Set(await recordedIds(product).catch(() => []));
        return accepted.every((id) => recorded.has(id));
      });
      const recorded = await recordedIds(product);
      expect(new Set(recorded).size).toBe(recorded.length);
      expect(product.the('worker', 'ingress').running()).toBe(true);
      await waitFor(
        'each record woke',
        async () => (await product.count('wakes', `state = 'done'`)) === recorded.length,
        { timeoutMs: 90_000 },
      );
      await expectEachWakeOnce(product, recorded.length);
      expect(await product.count('dead_letters')).toBe(0);
    });

    test('G1: the queue store goes away while events flow: 503 and not ready meanwhile, then on without a restart', async ({
      onTestFinished,
    }) => {
      const store = await startQueueStore(backend.kind);
      onTestFinished(store.stop);
      const product = await startProduct({
        queueUrl: store.url,
        roles: ['ingress', 'worker'],
        config: { wakes: [] },
      });
      onTestFinished(product.stop);
      const load = startLoad(product, Object.values(accounts), { lanes: 3, pauseMs: 10 });
      onTestFinished(load.stop);
      await waitFor('load flows', () => load.accepted().length > 30);

      const away = await store.outage();
      await waitFor('deliveries are refused for now', () => load.refused().length > 0);
      for (const { status, code, retryAfter } of load.refused()) {
        expect({ status, code }).toEqual({ status: 503, code: 'QUEUE_UNAVAILABLE' });
        expect(Number(retryAfter)).toBeGreaterThan(0);
      }
      for (const role of ['ingress', 'worker'] as const) {
        await waitFor(`${role} says that it is not ready`, async () => {
          const { status, body } = await product.the(role).readiness();
          return status === 503 && body.checks.queue?.ok === false && body.checks.database?.ok === true;
        });
      }
      await away.restore();
      const before = load.accepted().length;
      await waitFor('deliveries are taken again', () => load.accepted().length > before + 30);
      await load.stop();

      const accepted = load.accepted();
      await waitFor('all accepted are recorded', async () => {
        const recorded = new Set(await recordedIds(product));
        return accepted.every((id) => recorded.has(id));
      });
      const recorded = await recordedIds(product);
      expect(new Set(recorded).size).toBe(recorded.length);
      await waitFor('ready again', async () => (await product.the('worker').readiness()).status === 200);
    });

    test('G1: stopped in good order under load, it ends well and in time, and what it took is recorded by the next start', async ({
      onTestFinished,
    }) => {
      const product = await startProduct({ queueUrl: await backend.url() });
      onTestFinished(product.stop);
      const first = product.the('all');
      const load = startLoad(product, Object.values(accounts));
      onTestFinished(load.stop);
      await waitFor('load flows', () => load.accepted().length > 150);
      const from = Date.now();
      const end = await first.kill('SIGTERM');
      expect(end).toEqual({ code: 0, signal: null });
      // The contract's own limit, with what a busy machine needs to notice an exit.
      expect(Date.now() - from).toBeLessThan(11_000);
      expect(first.logs().filter(({ msg }) => msg === 'part.stop_failed')).toEqual([]);
      await load.stop();

      await product.start('all');
      const accepted = load.accepted();
      await waitFor('all accepted are recorded', async () => {
        const recorded = new Set(await recordedIds(product));
        return accepted.every((id) => recorded.has(id));
      });
      const recorded = await recordedIds(product);
      expect(new Set(recorded).size).toBe(recorded.length);
      await waitFor(
        'each record woke',
        async () => (await product.count('wakes', `state = 'done'`)) === recorded.length,
        { timeoutMs: 90_000 },
      );
      await expectEachWakeOnce(product, recorded.length);
    });
  },
);
