import { setTimeout as sleep } from 'node:timers/promises';
import { createPostgresBackend, createRedisBackend, type IQueueBackend, type PgPool } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { createJobListener, type JobListener } from './create-job-listener.ts';
import { createJobSource, type JobSource, type SharedQueue } from './create-job-source.ts';
import type { OutageLog } from './create-outage-log.ts';
import { discardJobs } from './discard-jobs.ts';
import { openQueuePool } from './open-queue-pool.ts';
import { openRedis } from './open-redis.ts';
import { peekJobs } from './peek-jobs.ts';
import { prepareBullmqSchema } from './prepare-bullmq-schema.ts';
import { keyPrefix } from './queue-names.ts';
import type { QueueStore } from './queue-store-of.ts';
import { recoverStalledJobs } from './recover-stalled-jobs.ts';
import { withDeadline } from './with-deadline.ts';

/** How long a job is a worker's without renewal, and how often jobs of dead workers are looked for. */
export type LockTimes = { lockMs: number; recoverMs: number; maxStalls: number };

export type Consumer = { sources: readonly JobSource[]; close(): Promise<void> };

type ConsumerNeeds = {
  store: QueueStore;
  names: readonly string[];
  times: LockTimes;
  outage: OutageLog;
  /** Set where the queues are not ours alone. */
  shared?: SharedQueue | undefined;
};

/** Opens queues to take jobs from. Rejects where the store can't be reached now; what is open reconnects for ever. */
export const openConsumer = ({ store, ...needs }: ConsumerNeeds): Promise<Consumer> =>
  store.kind === 'redis' ? openOnRedis(store.url, needs) : openOnPostgres(store.url, needs);

const openOnRedis = async (
  url: string,
  { names, times, outage, shared }: Omit<ConsumerNeeds, 'store'>,
): Promise<Consumer> => {
  const { redis, disconnect } = openRedis(url, 'consumer', outage);
  const backends = names.map((name) => redisBackend(redis, name, shared?.prefix ?? keyPrefix, times));
  for (const backend of backends) backend.on('error', (error) => outage.failed(error));
  const close = async () => {
    const polite = Promise.allSettled(backends.map((backend) => backend.close(true)));
    await withDeadline(polite, 1000, () => new Error('late')).catch(() => undefined);
    disconnect();
  };
  try {
    const ready = Promise.all(backends.map((backend) => backend.waitUntilReady()));
    await withDeadline(ready, 3000, () => new Error('Redis does not answer'));
  } catch (error) {
    await close();
    throw error;
  }
  const sources = names.flatMap((name, index) => {
    const backend = backends[index];
    return backend === undefined ? [] : [redisSource(name, backend, times, shared ?? null)];
  });
  return { sources, close };
};

const redisBackend = (
  redis: Redis,
  name: string,
  prefix: string,
  { lockMs, recoverMs, maxStalls }: LockTimes,
): IQueueBackend => {
  const opts = {
    connection: redis,
    prefix,
    skipVersionCheck: true,
    lockDuration: lockMs,
    stalledInterval: recoverMs,
    maxStalledCount: maxStalls,
  };
  return createRedisBackend(name, opts, { withBlockingConnection: true });
};

const redisSource = (
  name: string,
  backend: IQueueBackend,
  { lockMs }: LockTimes,
  shared: SharedQueue | null,
): JobSource => {
  // A blocking command can't be called off, so one that outlives its wait is what the next wait waits for.
  let blocked: Promise<unknown> | null = null;
  return createJobSource({
    name,
    backend,
    lockMs,
    shared,
    async wait(ms) {
      blocked ??= backend
        .waitForJob(2)
        // A connection that is lost again and again must not turn the caller's loop into a busy one.
        .catch(() => sleep(100))
        .finally(() => {
          blocked = null;
        });
      const current = blocked;
      await withDeadline(current, ms, () => new Error('no news')).catch(() => undefined);
    },
    recover: async () => (await backend.moveStalledJobsToWait()).length,
    async peek(limit) {
      // In ascending order it is the right end of Redis' list, from left to right: the next one stands last.
      const [ranges = []] = await backend.getRanges(['waiting'], 0, limit - 1, true);
      const ids = ranges.toReversed();
      const jobs = await Promise.all(ids.map((id) => backend.getJobData(id)));
      return jobs.flatMap((job, index) => {
        const id = ids[index];
        return job === undefined || id === undefined
          ? []
          : [{ id, data: job.data, doomed: job.deferredFailure ?? null }];
      });
    },
    async discard(ids) {
      // The connection keeps the order, so nobody waits; what fails here is found committed in its turn.
      for (const id of ids) void backend.remove(id, false).catch(() => undefined);
    },
  });
};

const openOnPostgres = async (
  url: string,
  { names, times, outage, shared }: Omit<ConsumerNeeds, 'store'>,
): Promise<Consumer> => {
  await prepareBullmqSchema(url);
  // One statement per queue at a time, and one more for the renewal of locks.
  const pool = openQueuePool(url, 'consumer', Math.min(names.length + 1, 10), outage);
  const backends = names.map((name) => postgresBackend(pool, name, times));
  for (const backend of backends) backend.on('error', (error) => outage.failed(error));
  try {
    await Promise.all(backends.map((backend) => backend.waitUntilReady()));
  } catch (error) {
    await pool.end();
    throw error;
  }
  const listener = createJobListener(url, outage);
  const sources = names.flatMap((name, index) => {
    const backend = backends[index];
    return backend === undefined
      ? []
      : [postgresSource({ name, backend, pool, listener, times, shared: shared ?? null })];
  });
  return {
    sources,
    async close() {
      const polite = Promise.allSettled([listener.close(), pool.end()]);
      await withDeadline(polite, 1000, () => new Error('late')).catch(() => undefined);
    },
  };
};

// Without `withBlockingConnection` BullMQ never takes a LISTEN client out of the pool.
const postgresBackend = (pool: Pool, name: string, { lockMs }: LockTimes): IQueueBackend => {
  // BullMQ's own narrow type of a pool and pg's overloads don't meet under exactOptionalPropertyTypes.
  const opts = { connection: pool as unknown as PgPool, lockDuration: lockMs };
  return createPostgresBackend(name, opts);
};

type PostgresSourceNeeds = {
  name: string;
  backend: IQueueBackend;
  pool: Pool;
  listener: JobListener;
  times: LockTimes;
  shared: SharedQueue | null;
};

const postgresSource = ({ name, backend, pool, listener, times, shared }: PostgresSourceNeeds): JobSource =>
  createJobSource({
    name,
    backend,
    lockMs: times.lockMs,
    shared,
    wait: (ms) => listener.wait(name, ms),
    recover: () => recoverStalledJobs(pool, name, times.maxStalls),
    peek: (limit) => peekJobs(pool, name, limit),
    discard: (ids) => discardJobs(pool, name, ids),
  });
