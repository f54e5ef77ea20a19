import { createHash } from 'node:crypto';

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * Atlassian's hash of a request, hex: method, path and sorted query without `jwt`; of the body it says nothing.
 * https://developer.atlassian.com/cloud/jira/platform/understanding-jwt-for-connect-apps/#qsh
 */
export const atlassianQsh = (method: string, path: string, query: string): string => {
  const values = new Map<string, string[]>();
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === 'jwt') continue;
    values.set(encode(name), [...(values.get(encode(name)) ?? []), encode(value)]);
  }
  const sorted = [...values.keys()]
    .sort()
    .map((name) => `${name}=${(values.get(name) ?? []).sort().join(',')}`);
  return createHash('sha256')
    .update(
      `${method.toUpperCase()}&${path.replace(/&/g, '%26').replace(/(.)\/$/, '$1')}&${sorted.join('&')}`,
    )
    .digest('hex');
};
