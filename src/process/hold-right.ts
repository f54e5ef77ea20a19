import type { Logger } from 'pino';
import { pause } from './pause.ts';

/** Of all processes of a deployment one at a time holds it. */
export type SourceLock = {
  /** Resolves when it is no longer ours, whoever's fault that is. */
  gone: Promise<void>;
  release(): Promise<void>;
};

/** Null where another process holds it. @throws where it can't be asked for now */
export type TakeLock = () => Promise<SourceLock | null>;

export type Right = {
  /** Another process holds the lock now. */
  lost: AbortSignal;
  release(): Promise<void>;
};

/**
 * Waits until this process may run the source, for as long as that takes, and keeps the right until it is released.
 * While the database that keeps the lock is away, nobody can take it from us, so we go on; should another process have
 * been faster when it is back, `lost` is aborted.
 *
 * @returns null where `closing` was aborted first
 */
export const holdRight = async ({
  take,
  everyMs,
  closing,
  onWaiting,
  log,
}: {
  take: TakeLock;
  everyMs: number;
  closing: AbortSignal;
  onWaiting: () => void;
  log: Logger;
}): Promise<Right | null> => {
  const taken = await takeFirst(take, everyMs, closing, onWaiting);
  if (taken === null) return null;
  let lock = taken;
  const lost = new AbortController();
  const released = new AbortController();
  const onRelease = new Promise<void>((resolve) => {
    released.signal.addEventListener('abort', () => resolve(), { once: true });
  });

  const keep = async (): Promise<void> => {
    for (;;) {
      await Promise.race([lock.gone, onRelease]);
      if (released.signal.aborted) return lock.release();
      log.warn('process.lock_gone');
      const next = await takeAgain(take, everyMs, released.signal);
      if (next === null) {
        lost.abort();
        return;
      }
      lock = next;
    }
  };
  const keeping = keep().catch((error: Error) =>
    log.warn({ why: error.message }, 'process.lock_not_released'),
  );
  return {
    lost: lost.signal,
    async release() {
      released.abort();
      await keeping;
    },
  };
};

const takeFirst = async (
  take: TakeLock,
  everyMs: number,
  closing: AbortSignal,
  onWaiting: () => void,
): Promise<SourceLock | null> => {
  while (!closing.aborted) {
    const lock = await take().catch(() => null);
    if (lock !== null) return lock;
    onWaiting();
    await pause(everyMs, closing);
  }
  return null;
};

/** Null where another process has it, or where it is wanted no more. */
const takeAgain = async (
  take: TakeLock,
  everyMs: number,
  released: AbortSignal,
): Promise<SourceLock | null> => {
  while (!released.aborted) {
    try {
      return await take();
    } catch {
      await pause(everyMs, released);
    }
  }
  return null;
};
