import { computeHmac } from './compute-hmac.ts';
import type { HmacScheme } from './hmac-scheme.ts';
import { readKey } from './read-key.ts';

/**
 * Signs as the sender of this scheme would: the headers given, and those that carry time and signature. The verifier's
 * counterpart, for `hcp-sense send` and tests.
 *
 * @param now milliseconds since 1970
 * @throws TypeError where the secret can't be a key or a signed header is not given
 */
export const signHmac = (
  scheme: HmacScheme,
  secret: string,
  message: { headers: Readonly<Record<string, string>>; raw: Buffer; now: number },
): Record<string, string> => {
  const read = readKey(scheme.key, secret);
  if ('fault' in read) throw new TypeError(`the secret ${read.fault}`);
  const timestamp = String(Math.floor(message.now / 1000));
  const headers: Record<string, string> = { ...message.headers };
  if (scheme.timestamp !== null && 'header' in scheme.timestamp) headers[scheme.timestamp.header] = timestamp;
  const digest = computeHmac(scheme, read.key, { headers, timestamp, raw: message.raw });
  if (digest === null) throw new TypeError('a header that is signed was not given');
  const { header, separator, prefix, encoding } = scheme.signature;
  const signature = `${prefix}${digest.toString(encoding)}`;
  headers[header] =
    scheme.timestamp !== null && 'item' in scheme.timestamp
      ? `${scheme.timestamp.item}${timestamp}${separator ?? ''}${signature}`
      : signature;
  return headers;
};
