import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until `check` yields something true and returns it; the test's own timeout is the only limit. */
export const until = async <T>(check: () => T | Promise<T>): Promise<T> => {
  for (;;) {
    const value = await check();
    if (value) return value;
    await sleep(20);
  }
};
