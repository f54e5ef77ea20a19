import { verify as verifySignature, type X509Certificate } from 'node:crypto';
import { readPath } from '../read-path.ts';
import { asId } from '../read-place.ts';
import type { RemoteKeys } from '../remote-keys/remote-keys.ts';
import { no } from './no.ts';
import type { X509Scheme } from './scheme.ts';
import type { Verdict, Verify } from './verdict.ts';

const mismatch = (why: string) => no('SIGNATURE_MISMATCH', 'signature', why);

/** The signed text; null for a message type that we do not know. */
const canonical = (scheme: X509Scheme, body: unknown): string | null => {
  const type = asId(readPath(body, scheme.type));
  const names = type !== null && Object.hasOwn(scheme.fields, type) ? scheme.fields[type] : undefined;
  if (names === undefined) return null;
  return names
    .flatMap((name) => {
      const value = asId(readPath(body, [name]));
      return value === null ? [] : [`${name}\n${value}\n`];
    })
    .join('');
};

const isGood = (hash: string, certificate: X509Certificate, text: string, signature: string): boolean => {
  try {
    return verifySignature(hash, Buffer.from(text), certificate.publicKey, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
};

/** Makes the verifier for messages that name the certificate they are signed with; only one of an allowed host is asked for. */
export const createX509Verifier =
  (scheme: X509Scheme, certificate: RemoteKeys['certificate']): Verify =>
  async ({ body: readBody, now }): Promise<Verdict> => {
    const body = readBody();
    if ('code' in body)
      return no('SIGNATURE_MISSING', 'presence', 'The body that would be signed is not JSON');
    const read = (path: readonly string[]): string | null => asId(readPath(body.value, path));
    const signature = read(scheme.signature);
    const url = read(scheme.certificate);
    if (signature === null || url === null)
      return no('SIGNATURE_MISSING', 'presence', 'The body holds no signature with its certificate');
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(signature)) return mismatch('The signature is not base64');
    const version = read(scheme.version) ?? '';
    const hash = Object.hasOwn(scheme.hashes, version) ? scheme.hashes[version] : undefined;
    if (hash === undefined) return mismatch('The signature is of a version that is not taken');
    const text = canonical(scheme, body.value);
    if (text === null) return mismatch('The message is of a type that is not taken');
    if (!scheme.url.test(url))
      return no('SIGNATURE_MISMATCH', 'key', "The certificate is not on the vendor's host");

    const kept = await certificate(url);
    if (kept.kind !== 'got')
      return kept.kind === 'away'
        ? no('KEYS_UNAVAILABLE', 'key', `The certificate can't be fetched: ${kept.why}`)
        : no('SIGNATURE_MISMATCH', 'key', `There is no such certificate: ${kept.why}`);
    if (Date.parse(kept.value.validTo) < now)
      return no('SIGNATURE_MISMATCH', 'key', 'The certificate has expired');
    return isGood(hash, kept.value, text, signature)
      ? { ok: true }
      : mismatch('The certificate does not prove this signature');
  };
