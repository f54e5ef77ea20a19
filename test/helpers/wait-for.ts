import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Polls until `check` yields something true, and returns it. The limit is not a measure of speed: it only turns what
 * never happens into a failure that says what it waited for.
 */
export const waitFor = async <T>(
  what: string,
  check: () => T | Promise<T>,
  { timeoutMs = 45_000 }: { timeoutMs?: number } = {},
): Promise<Exclude<T, false | null | undefined | 0 | ''>> => {
  const deadline = Date.now() + timeoutMs;
  for (let pause = 20; ; pause = Math.min(pause * 1.5, 150)) {
    const value = await check();
    if (value) return value as Exclude<T, false | null | undefined | 0 | ''>;
    if (Date.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);
    await sleep(pause);
  }
};
