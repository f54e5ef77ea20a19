const firstMs = 500;
const longestMs = 60_000;

/**
 * How long to wait before the next start: half a second after the first bad run, doubled after each further one, up to a
 * minute; between half of that and all of it, so that what broke together does not come back together.
 *
 * @param badRuns runs in a row that ended early, at least 1
 * @param random from 0 to 1
 * @returns milliseconds
 */
export const restartDelay = (badRuns: number, random: number): number => {
  const whole = Math.min(firstMs * 2 ** Math.min(badRuns - 1, 20), longestMs);
  return Math.round(whole / 2 + (random * whole) / 2);
};
