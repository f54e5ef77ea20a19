import type { Logger } from 'pino';
import type { Verdict } from './consume-jobs.ts';
import type { JobSource, TakenJob } from './create-job-source.ts';
import { pause } from './pause.ts';
import { offerQueueName } from './queue-names.ts';
import type { QueueStore } from './queue-store-of.ts';
import { runConsumer } from './run-consumer.ts';

type OfferWorkerNeeds = {
  store: QueueStore;
  name: string;
  /** Resolves when the rows are dealt with. Order and company of ids mean nothing, and one may come more than once. */
  handle: (ids: readonly string[]) => Promise<void>;
  /** Jobs at a time in this process. */
  concurrency: number;
  log: Logger;
};

const pausesMs = [200, 1000];

/**
 * Works on what was offered. A rejection is tried again twice and then let go: the sweeper offers an open row again, so
 * nothing is lost, and a queue full of old hints would only hide new ones.
 */
export const createOfferWorker = ({ store, name, handle, concurrency, log }: OfferWorkerNeeds) => {
  const run = async ({ name: queue }: JobSource, job: TakenJob, stop: AbortSignal): Promise<Verdict> => {
    const ids = readIds(job.data);
    for (let attempt = 0; ids.length > 0; attempt += 1) {
      try {
        await handle(ids);
        break;
      } catch (error) {
        const why = error instanceof Error ? error.message.slice(0, 300) : String(error);
        log.warn({ queue, ids: ids.length, attempt, why }, 'offer.failed');
      }
      const pauseMs = pausesMs[attempt];
      if (pauseMs === undefined) break;
      await pause(pauseMs, stop);
      if (stop.aborted) return { kind: 'release' };
    }
    return { kind: 'done' };
  };
  const consumer = runConsumer({
    store,
    names: [offerQueueName(name)],
    loops: concurrency,
    limit: null,
    run,
    what: `worker of ${name}`,
    log,
  });
  return { close: (): Promise<void> => consumer.close() };
};

const readIds = (data: string): readonly string[] => {
  try {
    const { ids } = JSON.parse(data) as { ids?: unknown };
    return Array.isArray(ids) && ids.every((id) => typeof id === 'string') ? ids : [];
  } catch {
    return [];
  }
};
