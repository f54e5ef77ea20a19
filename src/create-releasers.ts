import type { Logger } from 'pino';

/** What was started, each with the way to end it. */
export type Releasers = {
  /** @param limitMs how long ending it may take before the next one is ended all the same */
  add: (name: string, limitMs: number, release: () => Promise<unknown>) => void;
  releaseAll: () => Promise<void>;
};

/**
 * Every start registers its end; ends run last in, first out, so whatever is used is ended after its users. One that
 * hangs or fails is logged and does not keep the others from ending.
 */
export const createReleasers = (log: Logger): Releasers => {
  const stack: { name: string; limitMs: number; release: () => Promise<unknown> }[] = [];

  const releaseOne = async ({ name, limitMs, release }: (typeof stack)[number]): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not done after ${limitMs} ms`)), limitMs);
    });
    try {
      await Promise.race([release(), limit]);
      log.debug({ part: name }, 'part.stopped');
    } catch (error) {
      log.warn({ part: name, err: error }, 'part.stop_failed');
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    add: (name, limitMs, release) => {
      stack.push({ name, limitMs, release });
    },
    releaseAll: async () => {
      for (let part = stack.pop(); part !== undefined; part = stack.pop()) await releaseOne(part);
    },
  };
};
