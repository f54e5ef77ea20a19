import { readBody } from '../read-body.ts';
import { setPath } from '../set-path.ts';
import { assembleSigned } from './assemble-signed.ts';
import { computeHmac } from './compute-hmac.ts';
import { readKey } from './read-key.ts';
import type { HmacScheme, SigningTime } from './scheme.ts';

export type Signing = {
  method: string;
  /** Whole, as the receiver is known to the sender. */
  url: string;
  headers: Readonly<Record<string, string>>;
  raw: Buffer;
  /** Milliseconds since 1970. */
  now: number;
};
export type Signed = { headers: Record<string, string>; raw: Buffer };

const writeTime = (unit: SigningTime['unit'], now: number): string => {
  if (unit === 'iso') return new Date(now).toISOString();
  return String(unit === 'ms' ? now : Math.floor(now / 1000));
};

/** The body with a member set; only vendors that do not sign the body itself put anything there. */
const withMember = (raw: Buffer, path: readonly string[], value: string): Buffer => {
  const body: unknown = JSON.parse(raw.toString('utf8'));
  setPath(body, path, value);
  return Buffer.from(JSON.stringify(body));
};

/**
 * Signs as the sender of this scheme would: the headers given, and those (or members) that carry time and signature. The
 * verifier's counterpart, for `hcp-sense send` and tests.
 *
 * @throws TypeError where the secret can't be a key or a signed part is not given
 */
export const signHmac = (scheme: HmacScheme, secret: string, message: Signing): Signed => {
  const read = readKey(scheme.key, secret);
  if ('fault' in read) throw new TypeError(`the secret ${read.fault}`);
  const { timestamp: time, signature: at } = scheme;
  const timestamp = time === undefined ? '' : writeTime(time.unit, message.now);
  const headers: Record<string, string> = { ...message.headers };
  let { raw } = message;
  if (time !== undefined && 'header' in time) headers[time.header] = timestamp;
  // Signed over as it stands, where the body itself carries a number that says when (Linear).
  if (time !== undefined && 'json' in time && !scheme.signed.includes('body'))
    raw = withMember(raw, time.json, timestamp);
  const pieces = assembleSigned(scheme.signed, {
    ...{ method: message.method, url: message.url, headers, raw, timestamp },
    body: () => readBody('json', raw),
  });
  if (pieces === null) throw new TypeError('a header or member that is signed was not given');
  const digest = computeHmac(scheme.algorithm, read.key, pieces).toString(scheme.encoding);
  const item = time !== undefined && 'item' in time ? `${time.item}${timestamp}${at.separator ?? ''}` : '';
  const value = `${item}${at.prefix ?? ''}${digest}`;
  if ('json' in at) return { headers, raw: withMember(raw, at.json, value) };
  headers['header' in at ? at.header : at.first] = value;
  return { headers, raw };
};
