import type { IQueueBackend, JobJson, KeepJobs } from 'bullmq';
import { v7 as uuid } from 'uuid';
import { keptEvents } from './queue-names.ts';

/** A job in our hands. `data` is the JSON text that the producer's BullMQ wrote; it may be anything. */
export type TakenJob = {
  id: string;
  token: string;
  data: string;
  /** Set where BullMQ says that this job must not run any more (stalled too often). */
  doomed: string | null;
  /** What BullMQ wants back when the job moves on. */
  json: JobJson;
  /** It was handed over as the one before was completed, so more may be waiting behind it. */
  inRow: boolean;
};

/** A job that waits for its turn, looked at but not taken. */
export type PeekedJob = Pick<TakenJob, 'id' | 'data' | 'doomed'>;

/** Nothing to take: the next delayed job is due at `until` (ms since the epoch), 0 where there is none. */
export type Taken = { job: TakenJob } | { job: null; until: number };

/** One queue to take jobs from, the same on both backends. */
export type JobSource = {
  name: string;
  take(): Promise<Taken>;
  /**
   * Done: the job is removed, or kept for a while where others look at the queue, and the waiting ones in `along` are
   * removed with it, because what they carry is done too. With `fetchNext` the next job is taken in the same step.
   */
  complete(job: TakenJob, along: readonly string[], fetchNext: boolean): Promise<Taken>;
  /** Puts the job back at the head of its queue, for whoever is next (G8). */
  release(job: TakenJob): Promise<void>;
  /** Into the failed set, where people see it. */
  fail(job: TakenJob, reason: string): Promise<void>;
  /** False where the job is no longer ours. */
  extend(job: TakenJob): Promise<boolean>;
  /** Resolves after `ms`, or sooner when there may be something to take. */
  wait(ms: number): Promise<void>;
  /** Puts jobs of dead workers back at the head; how many. */
  recover(): Promise<number>;
  /** At most `limit` jobs of this queue run at a time, over all processes; null: no bound. */
  limit(limit: number | null): Promise<void>;
  /** The jobs that are next, oldest first, at most `limit`. They stay where they are. */
  peek(limit: number): Promise<readonly PeekedJob[]>;
  counts(): Promise<{ waiting: number; active: number }>;
};

/**
 * A queue that others fill and look at: under their prefix, with its finished jobs kept for a while and its event stream
 * left as they have it.
 */
export type SharedQueue = { prefix: string; keepDone: KeepJobs; keepFailed: KeepJobs };

type JobSourceNeeds = {
  name: string;
  backend: IQueueBackend;
  lockMs: number;
  /** Null: the queue is ours alone. */
  shared: SharedQueue | null;
  wait: JobSource['wait'];
  recover: JobSource['recover'];
  peek: JobSource['peek'];
  /**
   * Takes waiting jobs out of the queue; one that is not waiting is left alone. Resolves as soon as whatever is asked of
   * the queue next comes after it, which is at once where one connection keeps the order.
   */
  discard: (ids: readonly string[]) => Promise<void>;
};

/**
 * Takes jobs through BullMQ's backend interface instead of its `Worker`. The Worker turns every fault of the store
 * while it completes a job into a failed attempt of that job, puts a retried one behind the others, and on Postgres
 * holds a LISTEN connection per queue and spins while another process has the only slot. Here an outage costs nothing,
 * order holds, and one connection listens for all queues. The scripts and SQL that move jobs are BullMQ's own.
 */
export const createJobSource = ({
  name,
  backend,
  lockMs,
  shared,
  wait,
  recover,
  peek,
  discard,
}: JobSourceNeeds): JobSource => {
  const read = (answer: unknown, token: string, inRow: boolean): Taken => {
    const [json, id, , until] = Array.isArray(answer)
      ? (answer as [JobJson | null, string, number, number])
      : [];
    if (!json) return { job: null, until: until ?? 0 };
    return {
      job: { id: json.id ?? id, token, data: json.data, doomed: json.deferredFailure ?? null, json, inRow },
    };
  };
  return {
    name,
    async take() {
      const token = uuid();
      return read(await backend.moveToActive(token), token, false);
    },
    async complete(job, along, fetchNext) {
      // Should this fail, they come up in their turn and are found committed.
      if (along.length > 0) await discard(along).catch(() => undefined);
      const minimal = { id: job.id, opts: job.json.opts } as Parameters<IQueueBackend['moveToCompleted']>[0];
      const keep = shared?.keepDone ?? true;
      const { result } = await backend.moveToCompleted(minimal, null, keep, job.token, fetchNext);
      return read(result, job.token, true);
    },
    release: (job) => backend.retryJob(job.id, true, job.token),
    async fail(job, reason) {
      const minimal = { id: job.id, opts: job.json.opts } as Parameters<IQueueBackend['moveToFailed']>[0];
      await backend.moveToFailed(minimal, reason, shared?.keepFailed ?? false, job.token, false);
    },
    extend: async (job) => (await backend.extendLock(job.id, job.token, lockMs)) === 1,
    wait,
    recover,
    peek,
    async limit(limit) {
      if (shared !== null && limit === null) return;
      await backend.setQueueMeta({
        ...(limit === null ? {} : { concurrency: limit }),
        ...(shared === null ? { 'opts.maxLenEvents': keptEvents } : {}),
      });
    },
    async counts() {
      const [waiting = 0, active = 0] = await backend.getCounts(['waiting', 'active']);
      return { waiting, active };
    },
  };
};
