/** Lets through `burst` at once and then `perMinute`, and counts what it held back. */
export const createRateGate = ({
  burst,
  perMinute,
  clock,
}: {
  burst: number;
  perMinute: number;
  /** Milliseconds, from whenever. */
  clock: () => number;
}) => {
  let tokens = burst;
  let at = clock();
  let held = 0;
  return {
    pass(): boolean {
      const now = clock();
      tokens = Math.min(burst, tokens + ((now - at) * perMinute) / 60_000);
      at = now;
      if (tokens < 1) {
        held += 1;
        return false;
      }
      tokens -= 1;
      return true;
    },
    /** How many were held back since this was last asked. */
    takeHeld(): number {
      const count = held;
      held = 0;
      return count;
    },
  };
};

export type RateGate = ReturnType<typeof createRateGate>;
