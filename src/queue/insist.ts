import { pause } from './pause.ts';

const firstPauseMs = 100;
const longestPauseMs = 5000;

/**
 * Does `work` again and again until it succeeds, with pauses from 100 ms to 5 s between. `done: false` when `signal`
 * was aborted before that; an attempt under way is always awaited.
 */
export const insist = async <T>(
  work: () => Promise<T>,
  signal: AbortSignal,
  onError: (error: unknown, failures: number) => void,
): Promise<{ done: true; value: T } | { done: false }> => {
  for (let failures = 1; ; failures += 1) {
    try {
      return { done: true, value: await work() };
    } catch (error) {
      onError(error, failures);
    }
    if (signal.aborted) return { done: false };
    await pause(Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs), signal);
    if (signal.aborted) return { done: false };
  }
};
