import { Client } from 'pg';
import type { OutageLog } from './create-outage-log.ts';
import { insist } from './insist.ts';
import { postgresAddress } from './open-queue-pool.ts';
import { pause } from './pause.ts';

export type JobListener = {
  /** Resolves after `ms`, or as soon as a job of this queue may have come since the last `wait` on it. */
  wait(queue: string, ms: number): Promise<void>;
  close(): Promise<void>;
};

/**
 * One LISTEN connection for all queues of this process, made anew for ever. BullMQ's own lives inside each worker, and
 * a lost one or a failed reconnect could stay unnoticed for the life of the process (bullmq#4729, #4781). Here a loss
 * costs a reconnect, every waiter looks once after it, and callers poll anyway: a notification only makes it faster.
 */
export const createJobListener = (url: string, outage: OutageLog): JobListener => {
  const closing = new AbortController();
  const news = new Set<string>();
  const waiters = new Map<string, () => void>();
  let client: Client | null = null;

  const tell = (queue: string) => {
    const wake = waiters.get(queue);
    if (wake === undefined) news.add(queue);
    else wake();
  };

  const listen = async (): Promise<Client> => {
    const fresh = new Client({
      ...postgresAddress(url),
      application_name: 'hcp-sense-queue-listen',
      connectionTimeoutMillis: 5000,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
    });
    fresh.on('error', (error) => outage.failed(error));
    fresh.on('notification', ({ payload }) => tell(payload ?? ''));
    try {
      await fresh.connect();
      await fresh.query('listen bullmq_jobs');
    } catch (error) {
      await fresh.end().catch(() => undefined);
      throw error;
    }
    return fresh;
  };

  const run = async () => {
    while (!closing.signal.aborted) {
      const opened = await insist(listen, closing.signal, (error) => outage.failed(error));
      if (!opened.done) return;
      client = opened.value;
      const ended = new Promise<void>((resolve) => opened.value.once('end', resolve));
      if (closing.signal.aborted) await client.end().catch(() => undefined);
      // What was announced while nobody listened.
      for (const wake of [...waiters.values()]) wake();
      await ended;
      client = null;
      await pause(100, closing.signal);
    }
  };
  const running = run();

  return {
    wait(queue, ms) {
      if (news.delete(queue) || closing.signal.aborted) return Promise.resolve();
      return new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer);
          waiters.delete(queue);
          resolve();
        };
        const timer = setTimeout(end, ms);
        waiters.set(queue, end);
      });
    },
    async close() {
      closing.abort();
      for (const wake of [...waiters.values()]) wake();
      await client?.end().catch(() => undefined);
      await running;
    },
  };
};
