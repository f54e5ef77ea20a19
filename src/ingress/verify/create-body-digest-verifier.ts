import { createHash, timingSafeEqual } from 'node:crypto';
import { readPlace } from '../read-place.ts';
import { createDigestDecoder } from './create-digest-decoder.ts';
import { no } from './no.ts';
import type { BodyDigestScheme } from './scheme.ts';
import type { Verdict, Verify } from './verdict.ts';

const decode = createDigestDecoder('hex', 32);

/** Makes the check that the query names the SHA-256 of the body. */
export const createBodyDigestVerifier =
  ({ at }: BodyDigestScheme): Verify =>
  ({ headers, query, raw }): Verdict => {
    const named = readPlace(at, { headers, query, body: undefined, item: undefined });
    if (typeof named !== 'string')
      return no('SIGNATURE_MISSING', 'presence', `The query holds no ${at.query}`);
    const digest = decode(named);
    const same = digest !== null && timingSafeEqual(digest, createHash('sha256').update(raw).digest());
    return same
      ? { ok: true }
      : no('SIGNATURE_MISMATCH', 'body', `The body is not the one that ${at.query} names`);
  };
