import type { JsonPath } from './place.ts';
import { sliceElements, sliceMembers } from './slice-members.ts';

/** One event of a body: its own characters, what they mean, and the entry that holds its list. */
export type Item = { text: string; value: unknown; parent: unknown };

type Held = { from: number; to: number; value: unknown; parent: unknown };

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** One step along a path; none where the body does not have it. */
const step = (text: string, held: Held, key: string): Held[] => {
  const { value, from } = held;
  if (key === '*') {
    if (!Array.isArray(value)) return [];
    // An entry's parent is what holds the list: the entry of the list outside, or the body.
    return sliceElements(text, from).map(([start, end], index) => ({
      from: start,
      to: end,
      value: value[index],
      parent: held.parent,
    }));
  }
  if (!isObject(value) || Array.isArray(value) || !Object.hasOwn(value, key)) return [];
  const span = sliceMembers(text, from).get(key);
  return span === undefined
    ? []
    : [{ from: span[0], to: span[1], value: Reflect.get(value, key), parent: held.parent }];
};

const walk = (text: string, body: unknown, path: JsonPath): Held[] => {
  let held: Held[] = [{ from: 0, to: text.length, value: body, parent: body }];
  for (const [index, key] of path.entries()) {
    held = held.flatMap((one) => step(text, one, key));
    // Beyond a list its entries are the parents of what they hold.
    if (key === '*' && index < path.length - 1) held = held.map((one) => ({ ...one, parent: one.value }));
  }
  return held;
};

const holdsList = (body: unknown, path: JsonPath): boolean => {
  let at = body;
  for (const key of path.slice(0, path.indexOf('*'))) {
    if (!isObject(at) || !Object.hasOwn(at, key)) return false;
    at = Reflect.get(at, key);
  }
  return Array.isArray(at);
};

/**
 * The events of a body, in its order for each path. A body without any of the lists is one event as a whole; with an
 * empty one it holds none.
 *
 * @param text JSON that `value` was parsed from
 */
export const findItems = (text: string, value: unknown, split: readonly JsonPath[]): Item[] => {
  const lists = split.filter((path) => holdsList(value, path));
  if (lists.length === 0) return [{ text, value, parent: value }];
  return lists.flatMap((path) =>
    walk(text, value, path).map(({ from, to, value: item, parent }) => ({
      text: text.slice(from, to),
      value: item,
      parent,
    })),
  );
};
