/** How fast a source may deliver: `burst` at once, then `perSecond`. */
export type Pace = { perSecond: number; burst: number };

/**
 * Makes a token bucket of this process alone, kept as the time at which it is full again (GCRA): nothing ticks.
 * @param clock milliseconds, from whenever
 * @returns what takes one token: 0, or the milliseconds until there is one
 */
export const createTokenBucket = ({ perSecond, burst }: Pace, clock: () => number): (() => number) => {
  const interval = 1000 / perSecond;
  const most = interval * burst;
  let fullAt = 0;
  return () => {
    const now = clock();
    const next = Math.max(fullAt, now) + interval;
    // Sums of intervals may miss their product by a rounding.
    const wait = next - now - most;
    if (wait > 0.001) return Math.ceil(wait);
    fullAt = next;
    return 0;
  };
};
