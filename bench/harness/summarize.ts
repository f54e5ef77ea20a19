import { percentile } from './percentile.ts';

/** Median and extremes over the rounds. */
export type Spread = { median: number; min: number; max: number };

export const summarize = (values: readonly number[]): Spread => {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length / 2;
  const median =
    sorted.length % 2 === 1
      ? percentile(sorted, 0.5)
      : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
  return { median, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
};
