import { type KeyObject, timingSafeEqual } from 'node:crypto';
import { assembleSigned } from './assemble-signed.ts';
import { computeHmac } from './compute-hmac.ts';
import { createDigestDecoder } from './create-digest-decoder.ts';
import { createSignatureReader } from './create-signature-reader.ts';
import { escapeBody } from './escape-body.ts';
import { no } from './no.ts';
import type { HmacScheme } from './scheme.ts';
import type { Verdict, Verify } from './verdict.ts';

const digestBytes = { sha1: 20, sha256: 32, sha512: 64 } as const;

/**
 * Makes the verifier for one scheme and the live secrets of one source. Any secret may have made any of the signatures
 * (rotation on either side). Digests are compared decoded, in constant time.
 *
 * @param url under which the sender knows us, without query; used where the scheme signs it
 */
export const createHmacVerifier = (scheme: HmacScheme, keys: readonly KeyObject[], url = ''): Verify => {
  const readSignatures = createSignatureReader(scheme);
  const decode = createDigestDecoder(scheme.encoding, digestBytes[scheme.algorithm]);
  const bodyForms = scheme.bodyForms ?? [];
  const mismatch = no('SIGNATURE_MISMATCH', 'signature', 'No configured secret yields this signature');

  return (delivery): Verdict => {
    const read = readSignatures(delivery);
    if (!read.ok) return read;
    const digests = read.candidates.map(decode).filter((digest) => digest !== null);
    if (digests.length === 0)
      return no(
        'SIGNATURE_MISMATCH',
        'signature',
        `The signature is not ${digestBytes[scheme.algorithm]} bytes in ${scheme.encoding}`,
      );
    const { headers, method, body, raw } = delivery;
    const from = { headers, method, body, raw, url: url + delivery.query, timestamp: read.timestamp };
    const matches = (signed: typeof from): boolean => {
      const pieces = assembleSigned(scheme.signed, signed);
      if (pieces === null) return false;
      return keys.some((key) => {
        const expected = computeHmac(scheme.algorithm, key, pieces);
        return digests.some((digest) => timingSafeEqual(digest, expected));
      });
    };
    if (matches(from)) return { ok: true };
    if (bodyForms.some((form) => matches({ ...from, raw: escapeBody(form, raw) }))) return { ok: true };
    return mismatch;
  };
};
