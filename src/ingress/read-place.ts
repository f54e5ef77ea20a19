import type { Condition, Place } from './place.ts';
import { readPath } from './read-path.ts';
import type { Headers } from './verify/verdict.ts';

/** What places are read in. */
export type View = {
  headers: Headers;
  /** From its `?` on. */
  query: string;
  /** The whole body; undefined while it is not read. */
  body: unknown;
  /** The item of a batch, else the body. */
  item: unknown;
  parent?: unknown;
  inner?: unknown;
};

/** The one value of a query parameter; undefined where it is absent or doubled, since either could be meant. */
const readQuery = (query: string, name: string): string | undefined => {
  if (query === '') return undefined;
  const values = new URLSearchParams(query).getAll(name);
  return values.length === 1 ? values[0] : undefined;
};

/** A URL of the web only: of others the origin is the text `null`. */
const readOrigin = (value: unknown): string | undefined =>
  typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value)
    ? new URL(value).origin
    : undefined;

const read = (place: Exclude<Place, { literal: string }>, view: View): unknown => {
  if ('header' in place) return view.headers[place.header];
  if ('json' in place) return readPath(view.item, place.json);
  if ('query' in place) return readQuery(view.query, place.query);
  if ('origin' in place) return readOrigin(readPath(view.item, place.origin));
  if ('whole' in place) return readPath(view.body, place.whole);
  return 'parent' in place ? readPath(view.parent, place.parent) : readPath(view.inner, place.inner);
};

/** What stands at a place; undefined where there is nothing (absent, null or empty text). */
export const readPlace = (place: Place, view: View): unknown => {
  if ('literal' in place) return place.literal;
  const found = read(place, view);
  return found === null || found === '' ? undefined : found;
};

/** An id as text. Integers past 2^53 have already lost digits and would name another account, so they are none. */
export const asId = (value: unknown): string | null => {
  if (typeof value === 'string') return value;
  return Number.isSafeInteger(value) ? String(value) : null;
};

/** The id at the first place that holds anything; null where that is no id or there is nothing. */
export const readId = (places: readonly Place[], view: View): string | null => {
  for (const place of places) {
    const found = readPlace(place, view);
    if (found !== undefined) return asId(found);
  }
  return null;
};

/** Whether every condition holds. */
export const holds = (conditions: readonly Condition[], view: View): boolean =>
  conditions.every(({ at, is, absent }) => {
    const found = readPlace(at, view);
    if (absent === true) return found === undefined;
    return is === undefined ? found !== undefined : asId(found) === is;
  });
