import { parseExact } from '../domain/parse-exact.ts';
import type { SenseRecord } from '../domain/record.ts';
import { isSelector, parseArgPath } from './parse-arg-path.ts';

type Args = Readonly<Record<string, unknown>>;

export type SelectedArgs = { ok: true; args: Args } | { ok: false; missing: string };

/**
 * Arguments of a step for one record. A configured string that starts with `$.` is replaced by what it selects: a field
 * of the record's head, or something under `data`; all else is sent as it is configured. What was selected is never
 * looked at again, so a payload that says `$.tenant_id` stays that text. Only own members are seen (`length` is not
 * there, `__proto__` only where the payload has such a member), and a selected `null` is a value. A number that a double
 * would change is sent as the string of its digits (src/domain/parse-exact.ts).
 */
export const selectArgs = (args: Args, record: SenseRecord): SelectedArgs => {
  const root: Record<string, unknown> = { ...record.head };
  // Parsed only for a wake that looks into it: many select a head field or nothing.
  const rootOf = (first: string | number | undefined): unknown => {
    if (first === 'data' && !Object.hasOwn(root, 'data')) root.data = parseExact(record.data);
    return root;
  };
  let missing: string | undefined;

  const select = (selector: string): unknown => {
    const path = parseArgPath(selector);
    const value = path?.reduce<unknown>(member, rootOf(path[0]));
    // JSON has no undefined, so it can stand for "not there".
    if (value === undefined) missing ??= selector;
    return value;
  };
  const resolve = (value: unknown): unknown => {
    if (isSelector(value)) return select(value);
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    // Defines own members: a configured `__proto__` stays data.
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, resolve(inner)]));
  };

  const resolved = resolve(args) as Args;
  return missing === undefined ? { ok: true, args: resolved } : { ok: false, missing };
};

/** Names select from objects, indexes from arrays; everything else has nothing to select. */
const member = (value: unknown, part: string | number): unknown => {
  if (typeof part === 'number') return Array.isArray(value) ? value[part] : undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, part) ? (value as Record<string, unknown>)[part] : undefined;
};
