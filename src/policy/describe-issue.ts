import type { z } from 'zod';
import { safeText } from '../domain/safe-text.ts';
import type { Path } from './finding.ts';

/** What stands at a path of a parsed value; undefined where nothing does. */
export const valueAt = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (inner, part) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, part)
        ? (inner as Record<PropertyKey, unknown>)[part]
        : undefined,
    value,
  );

/** A value as a reader recognises it, cut short. Packs hold no secrets; a configuration's values are never shown. */
export const show = (value: unknown): string => safeText(JSON.stringify(value) ?? 'nothing', 60);

/** zod's path without symbols, as ours. */
export const plainPath = (path: readonly PropertyKey[]): Path =>
  path.map((part) => (typeof part === 'number' ? part : String(part)));

/** What zod found, in words that name what stands there. */
export const describeIssue = (issue: z.core.$ZodIssue, root: unknown): string => {
  const given = valueAt(root, issue.path);
  if (given === undefined)
    return `is required (${issue.message.replace(/^Invalid input: |, received undefined$/g, '')})`;
  if (issue.code === 'invalid_value') {
    return `${show(given)} is unknown: expected ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
  }
  return issue.message.replace(/^Invalid input: /, '');
};
