import { createPostgresBackend, type JobsOptions, type PgPool, Queue, withBackend } from 'bullmq';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { CodedError } from '../domain/errors.ts';
import { createOutageLog } from './create-outage-log.ts';
import { keepOpening } from './keep-opening.ts';
import { openQueuePool } from './open-queue-pool.ts';
import { type OpenRedis, openRedis } from './open-redis.ts';
import { prepareBullmqSchema } from './prepare-bullmq-schema.ts';
import { keptEvents } from './queue-names.ts';
import type { QueueStore } from './queue-store-of.ts';
import { withDeadline } from './with-deadline.ts';

type JobCounts = { waiting: number; active: number; failed: number };

/** What producers use of a BullMQ queue, the same on both backends. */
export type JobQueue = {
  add(name: string, data: unknown, opts: JobsOptions): Promise<unknown>;
  addBulk(jobs: { name: string; data: unknown; opts: JobsOptions }[]): Promise<unknown>;
  counts(): Promise<JobCounts>;
};

type Held = ({ kind: 'redis' } & OpenRedis) | { kind: 'postgres'; pool: Pool };

export type Producer = {
  /** The queue of this name, as soon as the store has answered once. */
  queue(name: string): Promise<JobQueue>;
  /** The connection itself, for what BullMQ has no call for. */
  store: Held;
  close(): Promise<void>;
};

type ProducerNeeds = {
  store: QueueStore;
  names: readonly string[];
  prefix: string;
  what: string;
  log: Logger;
};

const streams = { events: { maxLen: keptEvents } };

/** Queues to add to, over one connection (Redis) or one small pool (Postgres). It opens by itself and never throws. */
export const openProducer = ({ store, names, prefix, what, log }: ProducerNeeds): Producer => {
  const outage = createOutageLog(log, what);
  const closing = new AbortController();
  const held: Held =
    store.kind === 'redis'
      ? { kind: 'redis', ...openRedis(store.url, 'producer', outage) }
      : {
          kind: 'postgres',
          pool: openQueuePool(store.url, 'producer', Math.min(names.length + 1, 8), outage),
        };

  const open = async (): Promise<Map<string, JobQueue>> => {
    if (held.kind === 'postgres') await prepareBullmqSchema(store.url);
    const queues = names.map((name) => makeQueue(held, name, prefix));
    for (const queue of queues) queue.on('error', (error) => outage.failed(error));
    try {
      await Promise.all(queues.map((queue) => queue.waitUntilReady()));
    } catch (error) {
      await Promise.allSettled(queues.map((queue) => queue.close()));
      throw error;
    }
    outage.recovered();
    return new Map(queues.map((queue) => [queue.name, narrow(queue)]));
  };
  const opening = keepOpening(open, closing.signal, outage);

  return {
    async queue(name) {
      const queue = (await opening)?.get(name);
      if (queue === undefined) throw new CodedError('SHUTTING_DOWN');
      return queue;
    },
    store: held,
    async close() {
      closing.abort();
      // A polite end waits for the server's answer; a store that hangs gets none of our time.
      const ended = held.kind === 'redis' ? held.redis.quit() : held.pool.end();
      await withDeadline(Promise.allSettled([ended]), 1000, () => new Error('late')).catch(() => undefined);
      if (held.kind === 'redis') held.disconnect();
    },
  };
};

const makeQueue = (held: Held, name: string, prefix: string) => {
  if (held.kind === 'redis') {
    // The version check asks INFO once and remembers a failure for ever; `probe` looks at the version instead.
    return new Queue(name, { connection: held.redis, prefix, streams, skipVersionCheck: true });
  }
  const { Queue: PostgresQueue } = withBackend(createPostgresBackend);
  // BullMQ's own narrow type of a pool and pg's overloads don't meet under exactOptionalPropertyTypes.
  return new PostgresQueue(name, { connection: held.pool as unknown as PgPool, prefix, streams });
};

const narrow = (queue: ReturnType<typeof makeQueue>): JobQueue => ({
  add: (name, data, opts) => queue.add(name, data, opts),
  addBulk: (jobs) => queue.addBulk(jobs),
  async counts() {
    const { waiting = 0, active = 0, failed = 0 } = await queue.getJobCounts('waiting', 'active', 'failed');
    return { waiting, active, failed };
  },
});
