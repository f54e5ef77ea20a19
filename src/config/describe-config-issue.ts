import type { z } from 'zod';
import { nearestKey } from '../domain/nearest-key.ts';
import { knownKeysAt } from './fields-of.ts';

/** A fault of the configuration before its line is looked up. */
export type ConfigFault = { path: readonly PropertyKey[]; message: string };

const quoted = (values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value)).join(' or ');

const expectation = (issue: z.core.$ZodIssue): string => {
  if (issue.code === 'invalid_value') return `expected ${quoted(issue.values)}`;
  if (issue.code === 'invalid_union' && 'options' in issue)
    return `expected ${quoted(issue.options as unknown[])}`;
  if (issue.code === 'invalid_key') return issue.issues.map((inner) => inner.message).join(', ');
  return issue.message.replace(/^Invalid input: /, '').replace(/, received undefined$/, '');
};

/** What zod found, in words. The value itself is never shown: it may be a secret in the wrong place. */
export const describeConfigIssue = (
  schema: z.ZodType,
  issue: z.core.$ZodIssue,
  root: unknown,
): ConfigFault[] => {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const known = knownKeysAt(schema, root, issue.path);
      return { path: [...issue.path, key], message: `unknown key "${key}"${nearestKey(key, known)}` };
    });
  }
  const parent = issue.path.slice(0, -1).reduce<unknown>((inner, part) => Object(inner)[part], root);
  const isMissing = issue.path.length > 0 && Object(parent)[issue.path.at(-1) ?? ''] === undefined;
  return [
    { path: issue.path, message: isMissing ? `is required: ${expectation(issue)}` : expectation(issue) },
  ];
};
