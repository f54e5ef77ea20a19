import { type KeyObject, timingSafeEqual } from 'node:crypto';
import { computeHmac } from './compute-hmac.ts';
import { createDigestDecoder } from './create-digest-decoder.ts';
import { type HmacScheme, replayWindowSeconds } from './hmac-scheme.ts';
import type { Headers, Verdict, Verify } from './verdict.ts';

const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const;

/** More signatures than a sender under rotation would send; each costs one comparison per secret. */
const maxSignatures = 16;

const no = (code: (Verdict & { ok: false })['code'], why: string): Verdict => ({ ok: false, code, why });

/** One header value. Node joins repeats with a comma and a blank, which no scheme of ours puts into its own value. */
const readHeader = (headers: Headers, name: string): { value: string } | { why: string } => {
  const value = headers[name];
  if (value === undefined || value === '') return { why: `The header ${name} is missing` };
  if (typeof value !== 'string' || value.includes(', '))
    return { why: `The header ${name} was sent more than once` };
  return { value };
};

/**
 * Makes the verifier for one scheme and the live secrets of one source. Any secret may have made any of the signatures
 * in the header (rotation on either side). Digests are compared decoded, in constant time.
 */
export const createHmacVerifier = (scheme: HmacScheme, keys: readonly KeyObject[]): Verify => {
  const { header, separator, prefix, encoding } = scheme.signature;
  const decode = createDigestDecoder(encoding, digestBytes[scheme.algorithm]);
  const mismatch = no('SIGNATURE_MISMATCH', 'No configured secret yields this signature');
  const needed = scheme.signed.flatMap((part) =>
    typeof part === 'object' && 'header' in part ? [part.header] : [],
  );

  const readTimestamp = (headers: Headers, items: readonly string[]): { value: string } | { why: string } => {
    const from = scheme.timestamp;
    if (from === null) return { value: '' };
    if ('header' in from) return readHeader(headers, from.header);
    const found = items.filter((item) => item.startsWith(from.item));
    // Two times in one header: which one the sender meant would be our guess.
    if (found.length !== 1) return { why: `The header ${header} holds ${found.length} times ${from.item}` };
    return { value: (found[0] ?? '').slice(from.item.length) };
  };

  return (headers, raw, now) => {
    const signature = readHeader(headers, header);
    if ('why' in signature) return no('SIGNATURE_MISSING', signature.why);
    for (const name of needed)
      if (!headers[name]) return no('SIGNATURE_MISSING', `The header ${name} is missing`);
    const items = separator === null ? [signature.value] : signature.value.split(separator);
    const timestamp = readTimestamp(headers, items);
    if ('why' in timestamp) return no('SIGNATURE_MISSING', timestamp.why);
    if (scheme.timestamp !== null) {
      if (!/^\d{1,12}$/.test(timestamp.value))
        return no('SIGNATURE_MISSING', 'The signing time is not in Unix seconds');
      // Time first, so that a refusal for time says time.
      const away = Math.floor(now / 1000) - Number(timestamp.value);
      if (Math.abs(away) > replayWindowSeconds)
        return no(
          'TIMESTAMP_OUTSIDE_WINDOW',
          `It was signed ${Math.abs(away)} s ${away > 0 ? 'ago' : 'ahead of our clock'}; ${replayWindowSeconds} s are allowed`,
        );
    }
    const candidates = items.filter((item) => item.startsWith(prefix)).slice(0, maxSignatures);
    if (candidates.length === 0)
      return no('SIGNATURE_MISSING', `The header ${header} holds no signature that starts with ${prefix}`);
    const digests = candidates.map((item) => decode(item.slice(prefix.length)));
    for (const key of keys) {
      const expected = computeHmac(scheme, key, { headers, timestamp: timestamp.value, raw });
      if (expected === null) return mismatch;
      if (digests.some((digest) => digest !== null && timingSafeEqual(digest, expected))) return { ok: true };
    }
    return mismatch;
  };
};
