import { findItems } from '../find-items.ts';
import type { JsonPath } from '../place.ts';
import { readPath } from '../read-path.ts';
import { readPlace } from '../read-place.ts';
import { isSameText } from './is-same-text.ts';
import { no } from './no.ts';
import { readHeader } from './read-header.ts';
import type { TokenScheme } from './scheme.ts';
import type { Delivery, Verdict, Verify } from './verdict.ts';

/**
 * Makes the verifier for a shared text. All tokens are compared with, whichever matches.
 *
 * @param split the lists of a batch, for a scheme that judges items
 */
export const createTokenVerifier = (
  scheme: TokenScheme,
  tokens: readonly string[],
  split: readonly JsonPath[] = [],
): Verify => {
  const { at, prefix = '' } = scheme;
  const isToken = (value: unknown): boolean =>
    typeof value === 'string' &&
    value.startsWith(prefix) &&
    tokens.filter((token) => isSameText(value.slice(prefix.length), token)).length > 0;
  const what = 'header' in at ? `the header ${at.header}` : 'query' in at ? `?${at.query}` : 'the body';
  const missing = (why: string) => no('SIGNATURE_MISSING', 'presence', why);
  const mismatch = no(
    'SIGNATURE_MISMATCH',
    'token',
    scheme.param === undefined
      ? `No configured secret is the token in ${what}`
      : `What ${what} names is not the param ${scheme.param}`,
  );

  const judge = (value: unknown, name: string): Verdict => {
    if (value === undefined || value === null || value === '') return missing(`The ${name} is missing`);
    return isToken(value) ? { ok: true } : mismatch;
  };

  return (delivery: Delivery): Verdict => {
    const { headers, query } = delivery;
    if ('header' in at) {
      const read = readHeader(headers, at.header);
      return 'why' in read ? missing(read.why) : judge(read.value, at.header);
    }
    if ('query' in at)
      return judge(readPlace(at, { headers, query, body: undefined, item: undefined }), `query ${at.query}`);
    const body = delivery.body();
    if ('code' in body) return missing('The body that would hold the token is not JSON');
    if ('json' in at) return judge(readPath(body.value, at.json), `member ${at.json.join('.')}`);
    const admits = (item: unknown): boolean => isToken(readPath(item, at.item));
    const items = findItems(body.text, body.value, split);
    if (!items.some(({ value }) => readPath(value, at.item) !== undefined))
      return missing(`No item holds ${at.item.join('.')}`);
    return items.some(({ value }) => admits(value)) ? { ok: true, admits } : mismatch;
  };
};
