import type { OutageLog } from './create-outage-log.ts';
import { insist } from './insist.ts';

/**
 * Opens something until it is open, however long that takes. BullMQ remembers a first connection that failed for the
 * life of its object (bullmq#4781 is one case), so an object is only kept once it is ready, and made anew otherwise.
 *
 * Resolves to null when `signal` was aborted first.
 */
export const keepOpening = async <T>(
  open: () => Promise<T>,
  signal: AbortSignal,
  outage: OutageLog,
): Promise<T | null> => {
  const outcome = await insist(open, signal, (error) => outage.failed(error));
  return outcome.done ? outcome.value : null;
};
