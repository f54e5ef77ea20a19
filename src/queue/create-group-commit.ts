/** One caller's items: `done` settles when every batch that carries one of them has. */
export type Pushed = {
  done: Promise<void>;
  /** The caller waits no longer: what has not left yet never will, and `done` stays unsettled unless all had left. */
  abandon(): void;
};

type Call = { left: number; over: boolean; resolve: () => void; reject: (error: unknown) => void };
type Entry<T> = { item: T; size: number; call: Call };

type GroupCommitNeeds<T> = {
  /** Commits one batch. It is never called again before it has settled. */
  commit: (items: readonly T[]) => Promise<void>;
  /** About how many bytes an item takes. */
  sizeOf: (item: T) => number;
  maxItems: number;
  /** A larger item rides alone. */
  maxBytes: number;
  /** Awaited before a batch is formed, so that what is only just arriving rides along; left out: nothing is. */
  gather?: () => Promise<void>;
};

/**
 * Group commit: while one batch is under way, arrivals collect and ride together in the next. Nothing ever waits for
 * company, so a lone item leaves at once, and the busier it gets the larger the batches are. Items leave in the order
 * in which they were pushed. A failed batch fails exactly the callers that have an item in it.
 */
export const createGroupCommit = <T>({ commit, sizeOf, maxItems, maxBytes, gather }: GroupCommitNeeds<T>) => {
  const waiting: Entry<T>[] = [];
  let bytes = 0;
  let flight: Promise<void> | null = null;

  const nextBatch = (): Entry<T>[] => {
    const batch: Entry<T>[] = [];
    let size = 0;
    let seen = 0;
    for (const entry of waiting) {
      const fits = batch.length === 0 || (batch.length < maxItems && size + entry.size <= maxBytes);
      if (!entry.call.over && !fits) break;
      seen += 1;
      bytes -= entry.size;
      if (entry.call.over) continue;
      batch.push(entry);
      size += entry.size;
    }
    waiting.splice(0, seen);
    return batch;
  };

  const fly = async (): Promise<void> => {
    for (;;) {
      if (gather !== undefined) await gather();
      const batch = nextBatch();
      if (batch.length === 0) break;
      try {
        await commit(batch.map(({ item }) => item));
        for (const { call } of batch) {
          call.left -= 1;
          if (call.left === 0) call.resolve();
        }
      } catch (error) {
        for (const { call } of batch) {
          call.over = true;
          call.reject(error);
        }
      }
    }
    flight = null;
  };

  return {
    push(items: readonly T[]): Pushed {
      const { promise: done, resolve, reject } = withResolvers();
      const call: Call = { left: items.length, over: false, resolve, reject };
      for (const item of items) {
        const size = sizeOf(item);
        waiting.push({ item, size, call });
        bytes += size;
      }
      if (items.length === 0) resolve();
      else flight ??= fly();
      return {
        done,
        abandon() {
          call.over = true;
        },
      };
    },
    /** What waits for a batch of its own; what is under way is not in it. */
    backlog: (): { items: number; bytes: number } => ({ items: waiting.length, bytes }),
    /** Resolves when nothing waits and nothing is under way. */
    settled: async (): Promise<void> => {
      while (flight !== null) await flight;
    },
  };
};

// Promise.withResolvers is not in Node 20.
const withResolvers = () => {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const promise = new Promise<void>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
};
