import { type KeyObject, verify as verifySignature } from 'node:crypto';
import { assembleSigned } from './assemble-signed.ts';
import { createDigestDecoder } from './create-digest-decoder.ts';
import { createSignatureReader } from './create-signature-reader.ts';
import { no } from './no.ts';
import type { PublicKeyScheme } from './scheme.ts';
import type { Verdict, Verify } from './verdict.ts';

/** As Ed25519 and ECDSA of DER form are verified by Node: the algorithm is the scheme's, never the message's. */
const isSignedBy = (
  kind: PublicKeyScheme['kind'],
  key: KeyObject,
  bytes: Buffer,
  signature: Buffer,
): boolean => {
  try {
    return verifySignature(kind === 'ed25519' ? null : 'sha256', bytes, key, signature);
  } catch {
    // DER that is none.
    return false;
  }
};

/** Makes the verifier for signatures that the source's public keys prove. `url` as for HMACs. */
export const createPublicKeyVerifier = (
  scheme: PublicKeyScheme,
  keys: readonly KeyObject[],
  url = '',
): Verify => {
  const readSignatures = createSignatureReader(scheme);
  const decode = createDigestDecoder(scheme.encoding, scheme.kind === 'ed25519' ? 64 : 'der');
  const mismatch = no('SIGNATURE_MISMATCH', 'signature', 'No configured public key proves this signature');

  return (delivery): Verdict => {
    const read = readSignatures(delivery);
    if (!read.ok) return read;
    const { headers, method, body, raw } = delivery;
    const pieces = assembleSigned(scheme.signed, {
      ...{ headers, method, body, raw },
      url: url + delivery.query,
      timestamp: read.timestamp,
    });
    if (pieces === null) return mismatch;
    const bytes = Buffer.concat(
      pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)),
    );
    const signatures = read.candidates.flatMap((text) => decode(text) ?? []);
    const good = signatures.some((one) => keys.some((key) => isSignedBy(scheme.kind, key, bytes, one)));
    return good ? { ok: true } : mismatch;
  };
};
