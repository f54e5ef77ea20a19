import type { Place } from './vendors/profile.ts';
import type { Headers } from './verify/verdict.ts';

/** Follows own members only, so that `constructor` or `__proto__` in a path or payload is data like any other. */
const readPath = (value: unknown, path: readonly string[]): unknown => {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
};

/** What stands at a place; undefined where there is nothing (absent, null or empty text). */
export const readPlace = (place: Place, headers: Headers, body: unknown): unknown => {
  if ('literal' in place) return place.literal;
  const found = 'header' in place ? headers[place.header] : readPath(body, place.json);
  return found === null || found === '' ? undefined : found;
};

/** An id as text. Integers past 2^53 have already lost digits and would name another account, so they are none. */
export const asId = (value: unknown): string | null => {
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) ? String(value) : null;
};

/** The id at the first place that holds anything; null where that is no id or there is nothing. */
export const readId = (places: readonly Place[], headers: Headers, body: unknown): string | null => {
  for (const place of places) {
    const found = readPlace(place, headers, body);
    if (found !== undefined) return asId(found);
  }
  return null;
};
