import { createHash } from 'node:crypto';
import { decodeProtectedHeader } from 'jose';
import { readPath } from '../read-path.ts';
import { holds, readPlace } from '../read-place.ts';
import { assembleSigned } from './assemble-signed.ts';
import { createSignatureReader } from './create-signature-reader.ts';
import { readKey } from './read-key.ts';
import type { JwtScheme, Proof, Scheme, SignedBytes, TokenScheme } from './scheme.ts';
import type { Delivery } from './verdict.ts';

export type Examined = {
  /** What of a proof a delivery carries, as sentences: lengths and digests, nothing that could be used as a proof. */
  findings: string[];
  /** Seconds since 1970 for which it was signed; null where it says none that can be read. */
  signedAt: number | null;
};

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;
const characters = (text: string): string => count(text.length, 'character');
const unitSeconds = (text: string, unit: string | undefined): number => {
  if (unit === 'iso') return Math.floor(Date.parse(text) / 1000);
  return unit === 'ms' ? Math.floor(Number(text) / 1000) : Number(text);
};

const examineBytes = (scheme: SignedBytes & { kind: string }, delivery: Delivery, url: string): Examined => {
  // However long ago it was signed, it is to be examined.
  const { timestamp } = scheme;
  const endless =
    timestamp === undefined ? scheme : { ...scheme, timestamp: { ...timestamp, window: Infinity } };
  const read = createSignatureReader(endless)(delivery);
  if (!read.ok) return { findings: [`${scheme.kind}: ${read.why}`], signedAt: null };
  const lengths = [...new Set(read.candidates.map(characters))].join(', ');
  const findings = [`${scheme.kind}: ${count(read.candidates.length, 'signature')} of ${lengths}`];
  const { headers, method, body, raw } = delivery;
  const pieces = assembleSigned(scheme.signed, {
    ...{ headers, method, body, raw, timestamp: read.timestamp },
    url: url + delivery.query,
  });
  if (pieces === null) findings.push(`${scheme.kind}: a part of what is signed is not there`);
  else {
    const bytes = Buffer.concat(
      pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece)),
    );
    const digest = createHash('sha256').update(bytes).digest('hex');
    findings.push(`${scheme.kind}: what is signed is ${count(bytes.length, 'byte')}, sha256 ${digest}`);
  }
  if (timestamp === undefined) return { findings, signedAt: null };
  const signedAt = unitSeconds(read.timestamp, timestamp.unit);
  const away = Math.floor(delivery.now / 1000) - signedAt;
  findings.push(
    `${scheme.kind}: signed at ${signedAt}, ${Math.abs(away)} s ${away < 0 ? 'after' : 'before'} the time it is judged for`,
  );
  return { findings, signedAt };
};

const examineToken = ({ at, param }: TokenScheme, { headers, query, body }: Delivery): string => {
  const read = 'json' in at || 'item' in at ? body() : null;
  const value =
    'item' in at
      ? undefined
      : readPlace(at, {
          headers,
          query,
          body: undefined,
          item: read !== null && 'value' in read ? read.value : undefined,
        });
  const where = 'header' in at ? `header ${at.header}` : 'query' in at ? `query ?${at.query}` : 'body';
  const against = param === undefined ? 'the secrets' : `the param ${param}`;
  if ('item' in at) return `token: in every item at ${at.item.join('.')}, compared with ${against}`;
  return typeof value === 'string'
    ? `token: ${characters(value)} in the ${where}, compared with ${against}`
    : `token: none in the ${where}`;
};

const examineJwt = ({ at, algorithm }: JwtScheme, { headers, body }: Delivery): string => {
  const read = 'json' in at ? body() : null;
  const found =
    'header' in at
      ? headers[at.header]
      : read !== null && 'value' in read
        ? readPath(read.value, at.json)
        : undefined;
  const [token] = [found].flat();
  if (typeof token !== 'string')
    return `jwt: none in ${'header' in at ? `the header ${at.header}` : 'the body'}`;
  try {
    const { alg, kid } = decodeProtectedHeader('header' in at ? token.slice(at.prefix.length) : token);
    return `jwt: ${characters(token)}, ${alg} (${algorithm} is taken), key id ${kid ?? 'none'}`;
  } catch {
    return `jwt: ${characters(token)}, which are no JSON Web Token`;
  }
};

const examineScheme = (scheme: Scheme, delivery: Delivery, url: string): Examined => {
  switch (scheme.kind) {
    case 'hmac':
    case 'ed25519':
    case 'ecdsa':
      return examineBytes(scheme, delivery, url);
    case 'token':
      return { findings: [examineToken(scheme, delivery)], signedAt: null };
    case 'jwt':
      return { findings: [examineJwt(scheme, delivery)], signedAt: null };
    default:
      return { findings: [], signedAt: null };
  }
};

/** The schemes that judge this delivery: of a choice, those of the way that it takes. */
const listJudging = (proof: Proof, delivery: Delivery): Scheme[] => {
  if (proof.kind === 'anyOf' || proof.kind === 'allOf')
    return proof.of.flatMap((one) => listJudging(one, delivery));
  if (proof.kind !== 'choose') return [proof];
  const body = proof.of.some(({ when }) => when.some(({ at }) => 'json' in at)) ? delivery.body() : null;
  const value = body !== null && 'value' in body ? body.value : undefined;
  const view = { headers: delivery.headers, query: delivery.query, body: value, item: value };
  const way = proof.of.find(({ when }) => holds(when, view));
  return way === undefined ? [] : listJudging(way.proof, delivery);
};

const examineSecrets = (schemes: readonly Scheme[], secrets: readonly string[]): string[] => {
  const forms = [...new Set(schemes.flatMap((scheme) => ('key' in scheme ? [scheme.key] : [])))];
  return secrets.map((secret, index) => {
    const keys = forms.map((form) => {
      const read = readKey(form, secret);
      if ('fault' in read) return `as ${form} it ${read.fault}`;
      const bytes = read.key.symmetricKeySize;
      return bytes === undefined ? `a public key (${form})` : `a key of ${count(bytes, 'byte')} (${form})`;
    });
    return `secret ${index + 1}: ${[characters(secret), ...keys].join(', ')}`;
  });
};

/**
 * What a delivery holds of the proofs that a vendor may use, for the eyes of whoever looks for the fault.
 *
 * @param url under which the vendor knows us, without query
 */
export const examineProof = (
  proof: Proof,
  delivery: Delivery,
  { secrets, url }: { secrets: readonly string[]; url: string },
): Examined => {
  const schemes = listJudging(proof, delivery);
  const examined = schemes.map((scheme) => examineScheme(scheme, delivery, url));
  const digest = createHash('sha256').update(delivery.raw).digest('hex');
  return {
    findings: [
      ...new Set([
        `body: ${count(delivery.raw.length, 'byte')}, sha256 ${digest}`,
        ...examined.flatMap(({ findings }) => findings),
        ...examineSecrets(schemes, secrets),
      ]),
    ],
    signedAt: examined.map(({ signedAt }) => signedAt).find((time) => time !== null) ?? null,
  };
};
