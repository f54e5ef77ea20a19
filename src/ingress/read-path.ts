import type { JsonPath } from './place.ts';

/** Follows own members only, so that `constructor` or `__proto__` in a path or payload is data like any other. */
export const readPath = (value: unknown, path: JsonPath): unknown => {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = Reflect.get(at, key);
  }
  return at;
};
