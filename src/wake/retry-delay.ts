export type RetryTerms = {
  /** How often a step may fail for a fault that may pass, before the wake fails. */
  maxTries: number;
  /** Milliseconds: the first wait, doubled each time … */
  baseMs: number;
  /** … up to this. */
  capMs: number;
};

/** About a quarter of an hour all told: a runtime's restart or a short outage costs no wake. */
export const defaultRetry: RetryTerms = { maxTries: 10, baseMs: 2_000, capMs: 600_000 };

/**
 * Milliseconds to wait after the `tries`th failure (from 1). Half of it is chance, so that wakes that failed together
 * don't come back together and flood a runtime that has just returned.
 * @param chance in [0, 1)
 */
export const retryDelay = (tries: number, { baseMs, capMs }: RetryTerms, chance: number): number => {
  const whole = Math.min(capMs, baseMs * 2 ** (tries - 1));
  return Math.round(whole / 2 + (whole / 2) * chance);
};
