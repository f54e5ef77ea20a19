import type { Logger } from 'pino';
import { consumeJobs, type JobLoop, type Verdict } from './consume-jobs.ts';
import type { JobSource, SharedQueue, TakenJob } from './create-job-source.ts';
import { createOutageLog } from './create-outage-log.ts';
import { keepOpening } from './keep-opening.ts';
import { type Consumer, openConsumer } from './open-consumer.ts';
import { pause } from './pause.ts';
import type { QueueStore } from './queue-store-of.ts';
import { tendSources } from './tend-sources.ts';
import { untilAborted } from './until-aborted.ts';
import { withDeadline } from './with-deadline.ts';

/**
 * A killed worker's job is free again after at most `lockMs` + 2 × `recoverMs` (on Redis one pass marks and a later one
 * sweeps). A process that is blocked for longer than `lockMs` loses its job to another worker, which must therefore be
 * harmless. `maxStalls` is high because each hard stop of a process is one, and low enough that a job which itself kills
 * its worker ends somewhere.
 */
const times = { lockMs: 6000, recoverMs: 3000, maxStalls: 50 };
const pollMs = 2000;

type RunConsumerNeeds = {
  store: QueueStore;
  names: readonly string[];
  /** Loops per queue in this process. */
  loops: number;
  /** Jobs per queue at a time over all processes; null: no bound. */
  limit: number | null;
  /** Set where the queues are not ours alone. */
  shared?: SharedQueue;
  run: (source: JobSource, job: TakenJob, stop: AbortSignal) => Promise<Verdict>;
  what: string;
  log: Logger;
};

/** Takes jobs from queues until closed. It opens by itself and waits for a store that is away for as long as it is. */
export const runConsumer = ({ store, names, loops, limit, shared, run, what, log }: RunConsumerNeeds) => {
  const outage = createOutageLog(log, what);
  const closing = new AbortController();
  const ending = new AbortController();
  let running: readonly JobLoop[] = [];

  const open = async (): Promise<Consumer> => {
    const consumer = await openConsumer({ store, names, times, outage, shared });
    try {
      // Before the first job is taken: without the limit two processes could work on one partition at once.
      const limited = Promise.all(consumer.sources.map((source) => source.limit(limit)));
      await withDeadline(limited, 3000, () => new Error('the store does not answer'));
      return consumer;
    } catch (error) {
      await consumer.close();
      throw error;
    }
  };

  const start = async () => {
    const opening = keepOpening(open, closing.signal, outage);
    const consumer = await untilAborted(opening, closing.signal, null);
    if (consumer === null) {
      // An attempt under way may yet succeed; nobody waits for it.
      void opening.then((late) => late?.close());
      return;
    }
    outage.recovered();
    const { sources } = consumer;
    const tending = tendSources({
      sources,
      everyMs: times.recoverMs,
      limit,
      onRecovered: (queue, jobs) => log.warn({ queue, jobs }, 'queue.stalled_job_taken_back'),
      outage,
      closing: closing.signal,
    });
    running = sources.flatMap((source) =>
      Array.from({ length: loops }, () =>
        consumeJobs({
          source,
          run: (job, stop) => run(source, job, stop),
          lockMs: times.lockMs,
          pollMs,
          outage,
          closing: closing.signal,
          ending: ending.signal,
        }),
      ),
    );
    await pauseUntilOver(running, closing.signal, ending);
    await consumer.close();
    // Its commands were cut off; a store that hangs may take a moment to say so.
    await withDeadline(tending, 1000, () => new Error('late')).catch(() => undefined);
  };
  const over = start();

  return {
    /** False while the store was never reached. */
    opened: () => running.length > 0,
    /** Finishes the job in hand (up to `graceMs`), gives back what can't be finished, then disconnects. */
    async close(graceMs = 8000): Promise<void> {
      closing.abort();
      const timer = setTimeout(() => ending.abort(), graceMs);
      await over;
      clearTimeout(timer);
    },
  };
};

/**
 * Waits for `closing`, then for the loops: those without a job a moment, in which a `take` under way comes back or is
 * stuck in an outage; those with one until `ending`.
 */
const pauseUntilOver = async (loops: readonly JobLoop[], closing: AbortSignal, ending: AbortController) => {
  await new Promise<void>((resolve) => {
    if (closing.aborted) resolve();
    else closing.addEventListener('abort', () => resolve(), { once: true });
  });
  const allOver = new AbortController();
  void Promise.all(loops.map(({ over }) => over)).then(() => allOver.abort());
  await pause(1500, allOver.signal);
  if (loops.some((loop) => loop.busy())) {
    await pause(60_000, AbortSignal.any([allOver.signal, ending.signal]));
    await pause(500, allOver.signal);
  }
};
