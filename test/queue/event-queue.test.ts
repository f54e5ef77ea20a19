import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgresBackend, type PgPool, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Batch } from '../../src/domain/announcement.ts';
import { createEventQueue } from '../../src/queue/create-event-queue.ts';
import { createEventWorkers } from '../../src/queue/create-event-workers.ts';
import { postgresAddress } from '../../src/queue/open-queue-pool.ts';
import { eventQueueName, keyPrefix } from '../../src/queue/queue-names.ts';
import { type QueueStore, queueStoreOf } from '../../src/queue/queue-store-of.ts';
import { queueBackends } from '../helpers/stores.ts';
import { anAnnouncement } from './an-announcement.ts';
import { until } from './until.ts';

const log = pino({ level: 'silent' });

describe.each(queueBackends)('events through $kind', ({ kind, url }) => {
  let store: QueueStore;
  let closers: (() => Promise<unknown>)[];

  beforeEach(async () => {
    store = queueStoreOf(await url());
    closers = [];
  });
  afterEach(async () => {
    for (const close of closers.reverse()) await close();
  });

  const openQueue = (more: { partitions?: number; maxWaiting?: number } = {}) => {
    const queue = createEventQueue({ store, partitions: 1, maxWaiting: 100_000, log, ...more });
    closers.push(queue.close);
    return queue;
  };

  const openWorkers = (
    handle: (batch: Batch) => Promise<void>,
    more: { partitions?: number; bury?: (batch: Batch, reason: string) => Promise<void> } = {},
  ) => {
    const workers = createEventWorkers({
      store,
      partitions: 1,
      handle: async (batches) => {
        for (const batch of batches) await handle(batch);
      },
      bury: async () => undefined,
      log,
      ...more,
    });
    closers.push(workers.close);
    return workers;
  };

  /** BullMQ's own view of a partition, over connections of the test's own. */
  const openRaw = (partition = 0) => {
    const name = eventQueueName(partition);
    if (kind === 'redis') {
      const redis = new Redis(store.url, { maxRetriesPerRequest: null });
      const queue = new Queue(name, { connection: redis, prefix: keyPrefix });
      closers.push(async () => redis.disconnect());
      return { queue, redis, pool: null };
    }
    const pool = new Pool({ ...postgresAddress(store.url), max: 2 });
    const backend = createPostgresBackend(name, { connection: pool as unknown as PgPool });
    const queue = new Queue(name, { connection: {} }, () => backend as never);
    closers.push(() => pool.end());
    return { queue, redis: null, pool };
  };

  const seen = () => {
    const events: string[] = [];
    return {
      events,
      async handle({ announcements }: Batch) {
        events.push(...announcements.map(({ event }) => event));
      },
    };
  };

  it('G1, G8: hands every announcement to one worker, in the order of acceptance, grouped under load', async () => {
    const queue = openQueue({ partitions: 3 });
    const accounts = ['a', 'b', 'c', 'd', 'e'];
    const got = new Map<string, number[]>(accounts.map((account) => [account, []]));
    let batches = 0;
    let inHand = 0;
    const handle = async ({ announcements }: Batch) => {
      batches += 1;
      inHand += 1;
      expect(inHand).toBeLessThanOrEqual(3);
      await sleep(1);
      for (const {
        event,
        accounts: [account = ''],
      } of announcements)
        got.get(account)?.push(Number(event));
      inHand -= 1;
    };
    // Two processes' worth of workers share the partitions.
    openWorkers(handle, { partitions: 3 });
    openWorkers(handle, { partitions: 3 });
    const added = [];
    for (let n = 0; n < 1000; n += 1) {
      added.push(queue.enqueue([anAnnouncement(n, { accounts: [accounts[n % 5] ?? ''] })]));
      if (n % 100 === 0) await sleep(1);
    }
    await Promise.all(added);
    await until(() => [...got.values()].flat().length === 1000);
    for (const [index, account] of accounts.entries()) {
      expect(got.get(account)).toEqual(Array.from({ length: 200 }, (_, n) => 5 * n + index));
    }
    expect(batches).toBeLessThan(1000);
  });

  it('G8: runs one batch of a partition at a time over all workers', async () => {
    const queue = openQueue();
    let inHand = 0;
    let most = 0;
    const { events, handle } = seen();
    const slow = async (batch: Batch) => {
      inHand += 1;
      most = Math.max(most, inHand);
      await sleep(20);
      inHand -= 1;
      await handle(batch);
    };
    for (let n = 0; n < 3; n += 1) openWorkers(slow);
    for (let n = 0; n < 20; n += 1) await queue.enqueue([anAnnouncement(n)]);
    await until(() => events.length === 20);
    expect(most).toBe(1);
    expect(events).toEqual(Array.from({ length: 20 }, (_, n) => String(n)));
  });

  it('G8: batches that wait behind the one in hand are handled along with it, in order, and are gone then', async () => {
    const queue = openQueue();
    for (let n = 0; n < 30; n += 1) await queue.enqueue([anAnnouncement(n)]);
    const handed: string[][] = [];
    const workers = createEventWorkers({
      store,
      partitions: 1,
      handle: async (batches) => {
        handed.push(batches.flatMap(({ announcements }) => announcements.map(({ event }) => event)));
      },
      bury: async () => undefined,
      log,
    });
    closers.push(workers.close);
    await until(() => handed.flat().length === 30);
    expect(handed.flat()).toEqual(Array.from({ length: 30 }, (_, n) => String(n)));
    expect(handed.length).toBeLessThan(5);
    await until(async () => (await queue.depth()).every(({ waiting, active }) => waiting + active === 0));
    expect(handed.flat()).toHaveLength(30);
  });

  it('one delivery over several partitions is accepted when all of it is in', async () => {
    const queue = openQueue({ partitions: 4 });
    await queue.enqueue(
      Array.from({ length: 40 }, (_, n) => anAnnouncement(n, { accounts: [`account-${n}`] })),
    );
    const depth = await queue.depth();
    expect(depth).toHaveLength(4);
    expect(depth.every(({ waiting }) => waiting === 1)).toBe(true);
    await queue.enqueue([]);
  });

  it('G9: carries hostile text unharmed: NUL, lone surrogates, U+2028, escapes', async () => {
    const queue = openQueue();
    const hostile = [
      '{"id":9007199254740993,"a":1,"a":2}',
      '{"x":"\\u0000 \\ud800 \\\\u0000"}',
      '"\u2028\u2029\u{1f600}"',
      'raw \0 and \ud83d alone',
      '',
    ];
    const announcements = hostile.map((data, n) => anAnnouncement(`\0\ud800\u2028${n}`, { data }));
    const batches: Batch[] = [];
    openWorkers(async (batch) => {
      batches.push(batch);
    });
    await queue.enqueue(announcements);
    await until(() => batches.length === 1);
    expect(batches[0]?.announcements).toEqual(announcements);
    expect(batches[0]?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  });

  it('leaves nothing behind: finished jobs are removed, the event stream is bounded', async () => {
    const queue = openQueue();
    const { events, handle } = seen();
    const workers = openWorkers(handle);
    const { redis, pool } = openRaw();
    const footprint = async () => {
      if (redis !== null) return { keys: (await redis.keys('*:sense-p0}:*')).sort(), events: 0 };
      const jobs = await pool?.query('select count(*)::int as n from job');
      return { keys: jobs?.rows, events: 0 };
    };
    const runOneByOne = async (count: number) => {
      const from = events.length;
      for (let n = 0; n < count; n += 1) await queue.enqueue([anAnnouncement(n)]);
      await until(() => events.length === from + count);
      await until(async () => (await queue.depth())[0]?.active === 0);
    };
    await runOneByOne(5);
    const before = await footprint();
    await runOneByOne(200);
    expect(await footprint()).toEqual(before);
    expect(await queue.depth()).toEqual([{ partition: 0, waiting: 0, active: 0, failed: 0 }]);
    expect(workers.lastMoved()).toMatchObject([{ partition: 0, busySince: null, failures: 0 }]);
    const kept = redis
      ? await redis.xlen(`${keyPrefix}:${eventQueueName(0)}:events`)
      : Number((await pool?.query('select count(*) as n from event'))?.rows[0].n);
    // Both trim in chunks: Redis by macro node (100), BullMQ on Postgres every 256 events.
    expect(kept).toBeLessThan(600);
  });

  it("G2: keeps a batch that can't be committed now and hands it in again; what comes later waits its turn", async () => {
    const queue = openQueue();
    const { events, handle } = seen();
    let refusals = 4;
    const ids = new Set<string>();
    let buried = 0;
    const workers = openWorkers(
      async (batch) => {
        ids.add(batch.id);
        if (refusals > 0) {
          refusals -= 1;
          throw new Error('database away');
        }
        await handle(batch);
      },
      {
        bury: async () => {
          buried += 1;
        },
      },
    );
    await queue.enqueue([anAnnouncement(1)]);
    await queue.enqueue([anAnnouncement(2)]);
    await until(() => workers.lastMoved()[0]?.failures);
    expect(workers.lastMoved()[0]?.busySince).not.toBeNull();
    await until(() => events.length === 2);
    expect(events).toEqual(['1', '2']);
    expect(ids.size).toBe(2);
    expect(buried).toBe(0);
    await until(() => workers.lastMoved()[0]?.movedAt);
  });

  it('G8: gives an unfinished batch back on close, to the head of its partition', async () => {
    const queue = openQueue();
    let tried = 0;
    const workers = openWorkers(async () => {
      tried += 1;
      throw new Error('database away');
    });
    await queue.enqueue([anAnnouncement(1)]);
    await until(() => tried > 0);
    await queue.enqueue([anAnnouncement(2)]);
    await queue.enqueue([anAnnouncement(3)]);
    await workers.close();
    expect(await queue.depth()).toEqual([{ partition: 0, waiting: 3, active: 0, failed: 0 }]);
    const { events, handle } = seen();
    openWorkers(handle);
    await until(() => events.length === 3);
    expect(events).toEqual(['1', '2', '3']);
  });

  it('finishes the batch in hand on close', async () => {
    const queue = openQueue();
    const { events, handle } = seen();
    let started = false;
    const workers = openWorkers(async (batch) => {
      started = true;
      await sleep(300);
      await handle(batch);
    });
    await queue.enqueue([anAnnouncement(1)]);
    await until(() => started);
    await workers.close();
    expect(events).toEqual(['1']);
    expect(await queue.depth()).toMatchObject([{ waiting: 0, active: 0 }]);
  });

  it('G2, G8: takes the batch of a killed worker again, before what came after it', async () => {
    const queue = openQueue();
    await queue.enqueue([anAnnouncement(1)]);
    const child: ChildProcess = spawn(
      process.execPath,
      [join(import.meta.dirname, 'run-event-worker.mjs'), store.url, '1'],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    const [first] = await once(child.stdout ?? child, 'data');
    const taken = String(first).trim();
    child.kill('SIGKILL');
    await once(child, 'exit');
    await queue.enqueue([anAnnouncement(2)]);
    const batches: Batch[] = [];
    openWorkers(async (batch) => {
      batches.push(batch);
    });
    await until(() => batches.length === 2);
    expect(batches[0]?.id).toBe(taken);
    expect(batches.flatMap(({ announcements }) => announcements.map(({ event }) => event))).toEqual([
      '1',
      '2',
    ]);
    await until(async () => (await queue.depth())[0]?.active === 0);
    expect(await queue.depth()).toMatchObject([{ failed: 0 }]);
  });

  it('buries a batch that stalled too often, and only then removes it', async () => {
    const queue = openQueue();
    await queue.enqueue([anAnnouncement(1)]);
    const { queue: raw, redis, pool } = openRaw();
    const [job] = await raw.getJobs(['waiting']);
    const reason = 'job stalled more than allowable limit';
    if (redis) await redis.hset(`${keyPrefix}:${eventQueueName(0)}:${job?.id}`, 'defa', reason);
    await pool?.query('update job set deferred_failure = $1', [reason]);
    const buried: [Batch, string][] = [];
    let handled = 0;
    let refuse = true;
    openWorkers(
      async () => {
        handled += 1;
      },
      {
        async bury(batch, why) {
          if (refuse) {
            refuse = false;
            throw new Error('database away');
          }
          expect(await queue.depth()).toMatchObject([{ active: 1 }]);
          buried.push([batch, why]);
        },
      },
    );
    await until(() => buried.length === 1);
    expect(buried).toEqual([[{ id: job?.id, announcements: [anAnnouncement(1)] }, reason]]);
    expect(handled).toBe(0);
    await until(async () => (await queue.depth())[0]?.active === 0);
    expect(await queue.depth()).toEqual([{ partition: 0, waiting: 0, active: 0, failed: 0 }]);
  });

  it('keeps a job that is no batch of ours in sight, and goes on with the next', async () => {
    const queue = openQueue();
    const { queue: raw } = openRaw();
    await raw.add('stranger', { hello: 'world' }, { jobId: 'stranger-1' });
    await queue.enqueue([anAnnouncement(1)]);
    const { events, handle } = seen();
    const buried: string[] = [];
    openWorkers(handle, {
      async bury(batch) {
        buried.push(batch.id);
      },
    });
    await until(() => events.length === 1);
    expect(buried).toEqual(['stranger-1']);
    await until(async () => (await queue.depth())[0]?.active === 0);
    expect(await queue.depth()).toEqual([{ partition: 0, waiting: 0, active: 0, failed: 1 }]);
  });

  it('says QUEUE_FULL at max_waiting, and takes again when there is room', async () => {
    const queue = openQueue({ maxWaiting: 3 });
    const fill = async () => {
      for (let n = 0; ; n += 1) {
        await queue.enqueue([anAnnouncement(n)]);
        await sleep(20);
      }
    };
    await expect(fill()).rejects.toMatchObject({ code: 'QUEUE_FULL', status: 503, retry: true });
    const { events, handle } = seen();
    openWorkers(handle);
    await until(() => events.length >= 3);
    await until(() =>
      queue.enqueue([anAnnouncement('later')]).then(
        () => true,
        () => false,
      ),
    );
    await until(() => events.includes('later'));
  });

  it('refuses what would pile up in memory', async () => {
    const queue = openQueue();
    const flood = Array.from({ length: 25_000 }, (_, n) => anAnnouncement(n));
    const first = queue.enqueue(flood);
    await expect(queue.enqueue([anAnnouncement(1)])).rejects.toMatchObject({ code: 'QUEUE_FULL' });
    await first;
  });

  it('probes with a real write', async () => {
    const queue = openQueue();
    const facts = await queue.probe();
    expect(facts.kind).toBe(kind);
    expect(facts.version).toMatch(/^\d+\./);
    // The test stores are not durable, and are said not to be.
    expect(facts.warnings.join(' ')).toMatch(/already acknowledged/);
  });

  it('says SHUTTING_DOWN after close', async () => {
    const queue = openQueue();
    await queue.enqueue([anAnnouncement(1)]);
    await queue.close();
    await expect(queue.enqueue([anAnnouncement(2)])).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });
});
