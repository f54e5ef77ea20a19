import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves after `ms`, or at once when `signal` is or becomes aborted. Never rejects. */
export const pause = async (ms: number, signal?: AbortSignal): Promise<void> => {
  await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
};
