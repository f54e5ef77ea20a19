import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Client, Pool } from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEventQueue } from '../../src/queue/create-event-queue.ts';
import { createEventWorkers } from '../../src/queue/create-event-workers.ts';
import { createJobListener } from '../../src/queue/create-job-listener.ts';
import { createOutageLog } from '../../src/queue/create-outage-log.ts';
import { postgresAddress } from '../../src/queue/open-queue-pool.ts';
import { eventQueueName } from '../../src/queue/queue-names.ts';
import { queueStoreOf } from '../../src/queue/queue-store-of.ts';
import { recoverStalledJobs } from '../../src/queue/recover-stalled-jobs.ts';
import { type StartedRedis, startRedis } from '../helpers/start-redis.ts';
import { freshDatabase, hasPostgres, redisUrl } from '../helpers/stores.ts';
import { anAnnouncement } from './an-announcement.ts';
import { until } from './until.ts';

let closers: (() => Promise<unknown>)[] = [];
beforeEach(() => {
  closers = [];
});
afterEach(async () => {
  for (const close of closers.reverse()) await close();
});

/** A logger whose lines can be looked at. */
const recording = () => {
  const lines: { msg: string; what?: string; why?: string }[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { lines, log };
};

const openBoth = (url: string, log = pino({ level: 'silent' })) => {
  const store = queueStoreOf(url);
  const queue = createEventQueue({ store, partitions: 2, maxWaiting: 1000, log });
  const events: string[] = [];
  const workers = createEventWorkers({
    store,
    partitions: 2,
    handle: async (batches) => {
      for (const { announcements } of batches) events.push(...announcements.map(({ event }) => event));
    },
    bury: async () => undefined,
    log,
  });
  closers.push(queue.close, workers.close);
  return { queue, workers, events };
};

/** Hands it in until it is taken, as a provider does. */
const deliver = (queue: ReturnType<typeof openBoth>['queue'], event: string) =>
  until(() =>
    queue.enqueue([anAnnouncement(event)]).then(
      () => true,
      () => false,
    ),
  );

describe.skipIf(redisUrl === null)('a Redis that goes away', () => {
  let redis: StartedRedis;
  beforeEach(async () => {
    redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always']);
    closers.push(redis.stop);
  });

  it('G1: one that hangs is QUEUE_UNAVAILABLE within 3 s, for those that queue up behind as well; nothing crashes', async () => {
    const { queue, events } = openBoth(redis.url);
    await queue.enqueue([anAnnouncement('before')]);
    redis.process().kill('SIGSTOP');
    const answers = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        await sleep(n * 50);
        const from = Date.now();
        const fault = await queue.enqueue([anAnnouncement(`during-${n}`)]).catch((error: unknown) => error);
        return { fault, ms: Date.now() - from };
      }),
    );
    for (const { fault, ms } of answers) {
      expect(fault).toMatchObject({ code: 'QUEUE_UNAVAILABLE', status: 503, retry: true });
      expect(ms).toBeLessThan(3000);
    }
    await expect(queue.probe()).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' });
    redis.process().kill('SIGCONT');
    await deliver(queue, 'after');
    await until(() => events.includes('after'));
    expect(events[0]).toBe('before');
  });

  it('G1: one that restarts is found again without a restart of ours, and keeps what it took', async () => {
    const { lines, log } = recording();
    const { queue, events } = openBoth(redis.url, log);
    await deliver(queue, 'before');
    await until(() => events.length === 1);
    redis.process().kill('SIGKILL');
    await until(() => lines.filter(({ msg }) => msg === 'queue.lost').length === 2);
    // Long enough for many failed attempts to connect.
    await sleep(1500);
    await redis.restart();
    await deliver(queue, 'after');
    await until(() => events.includes('after'));
    await until(() => lines.filter(({ msg }) => msg === 'queue.regained').length === 2);
    // One line per outage and connection, not one per attempt.
    expect(lines.filter(({ msg }) => msg === 'queue.lost').length).toBe(2);
  });

  it('one that is not there yet is waited for', async () => {
    redis.process().kill('SIGKILL');
    const { queue, workers, events } = openBoth(redis.url);
    await expect(queue.enqueue([anAnnouncement('early')])).rejects.toMatchObject({
      code: 'QUEUE_UNAVAILABLE',
    });
    expect(workers.opened()).toBe(false);
    await redis.restart();
    await deliver(queue, 'late');
    await until(() => events.includes('late'));
    expect(workers.opened()).toBe(true);
  });

  it('one that lost everything gets its limit of one batch at a time again', async () => {
    const { queue, events } = openBoth(redis.url);
    await deliver(queue, 'before');
    await until(() => events.length === 1);
    const client = new Redis(redis.url);
    closers.push(async () => client.disconnect());
    await client.flushall();
    await until(() => client.hget(`hcp:${eventQueueName(0)}:meta`, 'concurrency'));
    await deliver(queue, 'after');
    await until(() => events.includes('after'));
  });

  it('one that is out of memory is QUEUE_UNAVAILABLE and says why, without the payload', async () => {
    const { queue } = openBoth(redis.url);
    await deliver(queue, 'before');
    const client = new Redis(redis.url);
    closers.push(async () => client.disconnect());
    await client.config('SET', 'maxmemory', '1');
    const fault = await queue
      .enqueue([anAnnouncement('x', { data: '"a payload"' })])
      .catch((error: unknown) => error);
    expect(fault).toMatchObject({ code: 'QUEUE_UNAVAILABLE', message: expect.stringContaining('memory') });
    expect(fault).not.toHaveProperty('cause');
    await expect(queue.probe()).rejects.toMatchObject({ code: 'QUEUE_UNREACHABLE' });
  });

  it('close ends in bounded time while it hangs', async () => {
    const { queue, workers } = openBoth(redis.url);
    await deliver(queue, 'before');
    redis.process().kill('SIGSTOP');
    const from = Date.now();
    await workers.close();
    await queue.close();
    expect(Date.now() - from).toBeLessThan(10_000);
  });
});

describe.skipIf(!hasPostgres)('a Postgres that goes away', () => {
  let url: string;
  let admin: Client;
  beforeEach(async () => {
    const database = await freshDatabase();
    url = database.url;
    admin = new Client({ connectionString: url });
    await admin.connect();
    closers.push(database.drop, () => admin.end());
  });

  const connections = async (name: string) => {
    const { rows } = await admin.query<{ pid: number }>(
      'select pid from pg_stat_activity where datname = current_database() and application_name like $1',
      [name],
    );
    return rows.map(({ pid }) => pid);
  };
  const terminate = async (name: string) => {
    const pids = await connections(name);
    await admin.query('select pg_terminate_backend(pid) from unnest($1::int[]) as t(pid)', [pids]);
    return pids;
  };

  it('bullmq#4729, #4781: a LISTEN connection that was cut is made anew and heard', async () => {
    const outage = createOutageLog(pino({ level: 'silent' }), 'test');
    const listener = createJobListener(url, outage);
    closers.push(listener.close);
    for (let round = 0; round < 3; round += 1) {
      await until(async () => (await connections('hcp-sense-queue-listen')).length > 0);
      const cut = await terminate('hcp-sense-queue-listen');
      await until(async () =>
        (await connections('hcp-sense-queue-listen')).some((pid) => !cut.includes(pid)),
      );
      await listener.wait('some-queue', 500);
      // Far longer than the test may take: only the notification can end it.
      const heard = listener.wait('some-queue', 600_000);
      await until(async () => {
        await admin.query(`select pg_notify('bullmq_jobs', 'some-queue')`);
        return Promise.race([heard.then(() => true), sleep(100, false)]);
      });
    }
  });

  it('G1: workers and queue go on after every connection was cut', async () => {
    const { queue, events } = openBoth(url);
    for (let round = 0; round < 3; round += 1) {
      await deliver(queue, `event-${round}`);
      await until(() => events.includes(`event-${round}`));
      expect((await terminate('hcp-sense-queue-%')).length).toBeGreaterThan(0);
    }
    await deliver(queue, 'last');
    await until(() => events.includes('last'));
  });

  it('one that is not there yet is waited for', async () => {
    const name = new URL(url).pathname.slice(1);
    const later = new URL(url);
    later.pathname = `/${name}_later`;
    const { queue, workers, events } = openBoth(later.href);
    await expect(queue.enqueue([anAnnouncement('early')])).rejects.toMatchObject({
      code: 'QUEUE_UNAVAILABLE',
    });
    expect(workers.opened()).toBe(false);
    await admin.query(`create database ${name}_later`);
    closers.push(() => admin.query(`drop database ${name}_later with (force)`));
    closers.push(queue.close, workers.close);
    // An empty database gets BullMQ's schema as well, and a probe that comes first waits for it.
    const store = queueStoreOf(later.href);
    const early = createEventQueue({
      store,
      partitions: 2,
      maxWaiting: 1000,
      log: pino({ level: 'silent' }),
    });
    closers.push(early.close);
    expect(await early.probe()).toMatchObject({ kind: 'postgres' });
    await deliver(queue, 'late');
    await until(() => events.includes('late'));
  });

  it('G8: a stalled job goes back to where it stood, a running one stays', async () => {
    const pool = new Pool({ ...postgresAddress(url), max: 2 });
    closers.push(() => pool.end());
    const add = (id: string, state: string, lockedUntil: number | null) =>
      pool.query(
        `insert into job (queue, id, seq, name, state, added_at_ms, lock_token, locked_until_ms)
         values ('q', $1, nextval('job_seq'), 'batch', $2::job_state, 0, 't', $3)`,
        [id, state, lockedUntil],
      );
    await add('stalled', 'active', Date.now() - 1);
    await add('running', 'active', Date.now() + 60_000);
    await add('waiting', 'waiting', null);
    expect(await recoverStalledJobs(pool, 'q', 1)).toBe(1);
    expect(await recoverStalledJobs(pool, 'q', 1)).toBe(0);
    const { rows } = await pool.query(
      'select id, stalled_count, deferred_failure from job where state = $1 order by seq',
      ['waiting'],
    );
    expect(rows).toEqual([
      { id: 'stalled', stalled_count: 1, deferred_failure: null },
      { id: 'waiting', stalled_count: 0, deferred_failure: null },
    ]);
    await pool.query(`update job set state = 'active', locked_until_ms = 1 where id = 'stalled'`);
    expect(await recoverStalledJobs(pool, 'q', 1)).toBe(1);
    const doomed = await pool.query(`select deferred_failure from job where id = 'stalled'`);
    expect(doomed.rows[0].deferred_failure).toMatch(/stalled/);
  });
});
