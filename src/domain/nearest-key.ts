import { closest, distance } from 'fastest-levenshtein';

/** `; did you mean "x"?` where a known name is near enough to have been meant, else nothing. */
export const nearestKey = (given: string, known: readonly string[]): string => {
  if (known.length === 0) return '';
  const nearest = closest(given.toLowerCase(), known);
  // Half of the name wrong is a different name: a wild guess sends the reader the wrong way.
  const near =
    distance(given.toLowerCase(), nearest.toLowerCase()) <= Math.max(2, Math.floor(nearest.length / 2));
  return near ? `; did you mean "${nearest}"?` : '';
};
