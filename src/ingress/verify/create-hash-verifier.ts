import { createHash, timingSafeEqual } from 'node:crypto';
import { assembleSigned } from './assemble-signed.ts';
import { createDigestDecoder } from './create-digest-decoder.ts';
import { no } from './no.ts';
import { readHeader } from './read-header.ts';
import type { HashScheme } from './scheme.ts';
import type { Verdict, Verify } from './verdict.ts';

const decode = createDigestDecoder('hex', 32);

/** Makes the verifier for a SHA-256 over secret and parts, hex. Such a hash can be extended; see `HashScheme`. */
export const createHashVerifier =
  (scheme: HashScheme, secrets: readonly string[], url: string): Verify =>
  (delivery): Verdict => {
    const read = readHeader(delivery.headers, scheme.signature.header);
    if ('why' in read) return no('SIGNATURE_MISSING', 'presence', read.why);
    const { headers, method, body, raw } = delivery;
    const from = { headers, method, body, raw, url: url + delivery.query, timestamp: '' };
    const digest = decode(read.value);
    const pieces = assembleSigned(scheme.signed, from);
    const good =
      digest !== null &&
      pieces !== null &&
      secrets.some((secret) => {
        const hash = createHash('sha256').update(secret);
        for (const piece of pieces)
          hash.update(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
        return timingSafeEqual(digest, hash.digest());
      });
    return good
      ? { ok: true }
      : no('SIGNATURE_MISMATCH', 'signature', 'No configured secret yields this signature');
  };
