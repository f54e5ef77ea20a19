import type { JobSource, TakenJob } from './create-job-source.ts';
import type { OutageLog } from './create-outage-log.ts';

export type HeldLock = { stop: AbortSignal; lost(): boolean; letGo(): void };

/**
 * Renews the lock of a job while we work on it. `stop` is aborted when we close and when the store says that the job is
 * no longer ours (`lost`): another worker has it or will have it, so we must not go on retrying. A store that does not
 * answer says nothing. (`AbortSignal.any` would do, but what it makes hangs on the long-lived signal, job after job.)
 */
export const holdLock = (
  source: JobSource,
  job: TakenJob,
  { lockMs, outage, closing }: { lockMs: number; outage: OutageLog; closing: AbortSignal },
): HeldLock => {
  const stop = new AbortController();
  let lost = false;
  const renew = async () => {
    try {
      if (await source.extend(job)) return;
      lost = true;
      stop.abort();
    } catch (error) {
      outage.failed(error);
    }
  };
  const onClosing = () => stop.abort();
  const timer = setInterval(() => void renew(), lockMs / 3);
  closing.addEventListener('abort', onClosing);
  if (closing.aborted) stop.abort();
  return {
    stop: stop.signal,
    lost: () => lost,
    letGo() {
      clearInterval(timer);
      closing.removeEventListener('abort', onClosing);
    },
  };
};
