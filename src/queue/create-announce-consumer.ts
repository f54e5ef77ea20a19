import type { Logger } from 'pino';
import type { Announcement } from '../domain/announcement.ts';
import { CodedError, type ErrorCode } from '../domain/errors.ts';
import { safeText } from '../domain/safe-text.ts';
import type { Verdict } from './consume-jobs.ts';
import type { JobSource, TakenJob } from './create-job-source.ts';
import { insist } from './insist.ts';
import type { QueueStore } from './queue-store-of.ts';
import { runConsumer } from './run-consumer.ts';

/** Finished jobs stay a while for whoever looks: that they were taken, or why not. Seconds and numbers. */
const kept = {
  keepDone: { age: 3600, count: 1000 },
  keepFailed: { age: 7 * 24 * 3600, count: 1000 },
};
const maxReason = 2000;

/** One job as metrics count it: a delivery like any other, with the status that a request would have had. */
type JobFact = { source: string; status: number; code: string | null };

type AnnounceNeeds = {
  store: QueueStore;
  /** Id of the source. */
  source: string;
  queue: string;
  prefix: string;
  /** What the job's data says, or which rule it breaks. */
  read: (
    data: Buffer,
    delivery: string,
    receivedAt: string,
  ) => { ok: true; announcements: readonly Announcement[] } | { ok: false; code: ErrorCode; detail: string };
  /** Resolves when the announcements are in our queue. */
  enqueue: (announcements: readonly Announcement[]) => Promise<void>;
  onJob: (fact: JobFact) => void;
  log: Logger;
};

/**
 * The internal queue: takes the jobs that services of the operator add to a BullMQ queue, one at a time over all processes
 * (G8). A job is completed when its announcements are in our own queue; while that takes none the job waits, at the head.
 * One that is no announcement ends failed with the reason. The delivery's id is `<queue>:<job id>`.
 */
export const createAnnounceConsumer = (needs: AnnounceNeeds) => {
  const { store, source, queue, prefix, read, enqueue, onJob, log } = needs;

  const refuse = (job: TakenJob, code: ErrorCode, detail: string): Verdict => {
    onJob({ source, status: 400, code });
    log.warn({ source, delivery: deliveryOf(job), code }, 'job.refused');
    return { kind: 'fail', reason: safeText(`${code}: ${detail}`, maxReason) };
  };
  const deliveryOf = ({ id }: TakenJob): string => safeText(`${queue}:${id}`);

  const run = async (_: JobSource, job: TakenJob, stop: AbortSignal): Promise<Verdict> => {
    if (job.doomed !== null) return { kind: 'fail', reason: job.doomed };
    const found = read(Buffer.from(textOf(job.data)), deliveryOf(job), new Date().toISOString());
    if (!found.ok) return refuse(job, found.code, found.detail);
    const { announcements } = found;
    const outcome = await insist(
      () => enqueue(announcements),
      stop,
      (error, failures) => {
        const code = error instanceof CodedError ? error.code : 'INTERNAL';
        if (failures === 1) log.warn({ source, delivery: deliveryOf(job), code }, 'job.waits');
      },
    );
    if (!outcome.done) return { kind: 'release' };
    onJob({ source, status: 202, code: null });
    return { kind: 'done' };
  };

  const consumer = runConsumer({
    store,
    names: [queue],
    loops: 1,
    limit: 1,
    shared: { prefix, ...kept },
    run,
    what: `queue ${queue}`,
    log,
  });
  return { close: (): Promise<void> => consumer.close() };
};

/**
 * The announcement's JSON. Data that is a text holds it: so numbers and escapes survive that a producer's own JSON, or
 * Postgres (which keeps job data as `jsonb`), would change.
 */
const textOf = (data: string): string => {
  if (!data.trimStart().startsWith('"')) return data;
  try {
    return String(JSON.parse(data));
  } catch {
    return data;
  }
};
