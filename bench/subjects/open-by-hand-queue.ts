import { createPostgresBackend, Queue, Worker, withBackend } from 'bullmq';
import { Redis } from 'ioredis';

/** Where (b) keeps its jobs, from QUEUE_URL: what BullMQ's own documentation shows for each backend. */
const url = process.env.QUEUE_URL ?? '';
const isRedis = url.startsWith('redis:');

/** Finished jobs are removed, as in ours: keeping them is BullMQ's default and fills Redis. */
const defaultJobOptions = { removeOnComplete: true, removeOnFail: 1000, attempts: 3 };

export type MailEvent = { id: string; account: string; ref: string; occurred_at: string; data: unknown };
export type EventJob = { event: MailEvent; receivedAt: string };

export const openQueue = <D>(name: string): Queue<D> => {
  if (isRedis) return new Queue<D>(name, { connection: new Redis(url), defaultJobOptions });
  const { Queue: PostgresQueue } = withBackend(createPostgresBackend);
  // Not the same type arguments, the same calls.
  return new PostgresQueue<D>(name, {
    connection: { connectionString: url, max: 10 },
    defaultJobOptions,
  }) as unknown as Queue<D>;
};

export const openWorker = <D>(
  name: string,
  concurrency: number,
  work: (data: D) => Promise<void>,
): { close(): Promise<void> } => {
  const process = async ({ data }: { data: D }) => work(data);
  if (isRedis) {
    return new Worker<D>(name, process, {
      connection: new Redis(url, { maxRetriesPerRequest: null }),
      concurrency,
    });
  }
  const { Worker: PostgresWorker } = withBackend(createPostgresBackend);
  return new PostgresWorker<D>(name, process, {
    connection: { connectionString: url, max: 20 },
    concurrency,
  });
};
