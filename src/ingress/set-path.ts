import type { JsonPath } from './place.ts';
import { readPath } from './read-path.ts';

/** Sets a member along a path of existing containers; nothing where there is none to hold it. */
export const setPath = (body: unknown, path: JsonPath, value: unknown): void => {
  const last = path.at(-1);
  const holder = readPath(body, path.slice(0, -1));
  if (last !== undefined && typeof holder === 'object' && holder !== null) Reflect.set(holder, last, value);
};
