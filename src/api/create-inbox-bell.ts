/** Rings when the inbox may hold something new. A hint only: whoever waits looks for itself, and looks again slowly. */
export type InboxBell = {
  /** How often it rang so far. Read it before looking, so that no ring between looking and waiting is lost. */
  rings: () => number;
  /** Waits until it rang again after `seen`, `ms` passed, the signal is given, or it is closed. */
  waitBeyond: (seen: number, ms: number, signal: AbortSignal) => Promise<void>;
  /** True once closed: whoever waits should answer with what it has. */
  closed: () => boolean;
  close: () => Promise<void>;
};

/** Rings at most once in this time: a worker commits many batches a second, and each ring has every waiter look. */
const PAUSE_MS = 50;

/** @param listen starts calling `ring` for every committed batch; it may call as often as it likes. */
export const createInboxBell = (listen: (ring: () => void) => { close: () => Promise<void> }): InboxBell => {
  const waiting = new Set<() => void>();
  let rings = 0;
  let closed = false;
  let pause: NodeJS.Timeout | null = null;
  let again = false;

  const wakeAll = (): void => {
    rings += 1;
    const woken = [...waiting];
    waiting.clear();
    for (const wake of woken) wake();
  };
  const ring = (): void => {
    if (pause !== null) {
      again = true;
      return;
    }
    wakeAll();
    pause = setTimeout(() => {
      pause = null;
      if (!again) return;
      again = false;
      ring();
    }, PAUSE_MS);
    pause.unref();
  };
  const source = listen(ring);

  return {
    rings: () => rings,
    closed: () => closed,
    waitBeyond: (seen, ms, signal) =>
      new Promise((resolve) => {
        if (rings !== seen || closed || signal.aborted || ms <= 0) {
          resolve();
          return;
        }
        const done = (): void => {
          clearTimeout(timer);
          waiting.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, ms);
        waiting.add(done);
        signal.addEventListener('abort', done);
      }),
    close: async () => {
      closed = true;
      if (pause !== null) clearTimeout(pause);
      wakeAll();
      await source.close();
    },
  };
};
