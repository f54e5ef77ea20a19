import type { JobSource, Taken, TakenJob } from './create-job-source.ts';
import type { OutageLog } from './create-outage-log.ts';
import { holdLock } from './hold-lock.ts';
import { insist } from './insist.ts';
import { untilAborted } from './until-aborted.ts';

/** What became of a job: gone (and those in `along` with it), back to the head of its queue, or kept for people to see. */
export type Verdict =
  | { kind: 'done'; along?: readonly string[] }
  | { kind: 'release' }
  | { kind: 'fail'; reason: string };

type ConsumeNeeds = {
  source: JobSource;
  /** Works on one job until it is done or `stop` is aborted (we close, or the job is no longer ours). Never rejects. */
  run: (job: TakenJob, stop: AbortSignal) => Promise<Verdict>;
  lockMs: number;
  /** Looks for jobs this often, should a notification be lost. */
  pollMs: number;
  outage: OutageLog;
  /** Take nothing more, and stop retrying. */
  closing: AbortSignal;
  /** Wait for nothing more: even a job under way is given back. */
  ending: AbortSignal;
};

export type JobLoop = { busy(): boolean; over: Promise<void> };

/** Takes one job at a time until `closing`, however often the store goes away between. */
export const consumeJobs = (needs: ConsumeNeeds): JobLoop => {
  const { source, run, lockMs, pollMs, outage, closing, ending } = needs;
  let busy = false;

  const take = async (): Promise<Taken> => {
    const outcome = await insist(() => source.take(), closing, outage.failed);
    if (!outcome.done) return { job: null, until: 0 };
    outage.recovered();
    return outcome.value;
  };

  const work = async (job: TakenJob): Promise<Taken | null> => {
    const hold = holdLock(source, job, { lockMs, outage, closing });
    try {
      const verdict = await untilAborted<Verdict>(run(job, hold.stop), ending, { kind: 'release' });
      if (hold.lost()) return null;
      // While we close, an outage must not keep us: the job then comes back when its lock runs out.
      const settled = await insist(() => settle(verdict, job), closing, outage.failed);
      return settled.done ? settled.value : null;
    } finally {
      hold.letGo();
    }
  };

  const settle = async (verdict: Verdict, job: TakenJob): Promise<Taken | null> => {
    try {
      if (verdict.kind === 'done') return await source.complete(job, verdict.along ?? [], !closing.aborted);
      if (verdict.kind === 'release') await source.release(job);
      else await source.fail(job, verdict.reason);
      return null;
    } catch (error) {
      // The answer to an earlier try was lost on the way, or another worker took the job over. Either way it is settled.
      if (isNoLongerOurs(error)) return null;
      throw error;
    }
  };

  const loop = async () => {
    let taken: Taken | null = null;
    while (!closing.aborted) {
      taken ??= await take();
      if (taken.job === null) {
        const due = taken.until > 0 ? Math.max(taken.until - Date.now(), 1) : pollMs;
        taken = null;
        await untilAborted(source.wait(Math.min(due, pollMs)), closing, undefined);
        continue;
      }
      busy = true;
      taken = await work(taken.job);
      busy = false;
    }
    if (taken?.job) await source.release(taken.job).catch(outage.failed);
  };
  return { busy: () => busy, over: loop() };
};

// BullMQ's own codes for: no such job (-1), no lock (-2), not active (-3), another's lock (-6).
const noLongerOurs: ReadonlySet<unknown> = new Set([-1, -2, -3, -6]);
const isNoLongerOurs = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && noLongerOurs.has(error.code);
