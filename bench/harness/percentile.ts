/** The value below which the share `at` (0…1) of the values lies; NaN of none. */
export const percentile = (values: readonly number[], at: number): number => {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))] ?? Number.NaN;
};
