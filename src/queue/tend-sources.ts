import type { JobSource } from './create-job-source.ts';
import type { OutageLog } from './create-outage-log.ts';
import { pause } from './pause.ts';

type TendNeeds = {
  sources: readonly JobSource[];
  everyMs: number;
  /** Jobs of one queue that may run at a time, over all processes; null: no bound. */
  limit: number | null;
  onRecovered: (queue: string, jobs: number) => void;
  outage: OutageLog;
  closing: AbortSignal;
};

/**
 * Looks after queues while their jobs are taken: puts back what dead workers held, and sets the limit of concurrency
 * again and again, because a store that lost all it had lost that as well.
 */
export const tendSources = async (needs: TendNeeds): Promise<void> => {
  const { sources, everyMs, limit, onRecovered, outage, closing } = needs;
  const tend = async (source: JobSource) => {
    try {
      await source.limit(limit);
      const jobs = await source.recover();
      if (jobs > 0) onRecovered(source.name, jobs);
    } catch (error) {
      outage.failed(error);
    }
  };
  while (!closing.aborted) {
    await Promise.all(sources.map(tend));
    await pause(everyMs, closing);
  }
};
