import type { Headers } from './verdict.ts';

/** One header value. Node joins repeats with a comma and a blank, which no scheme of ours puts into its own value. */
export const readHeader = (headers: Headers, name: string): { value: string } | { why: string } => {
  const value = headers[name];
  if (value === undefined || value === '') return { why: `The header ${name} is missing` };
  if (typeof value !== 'string' || value.includes(', '))
    return { why: `The header ${name} was sent more than once` };
  return { value };
};
