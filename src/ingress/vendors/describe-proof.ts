import type { Condition, Place } from '../place.ts';
import type { Proof, SignedBytes, SignedPart, SigningTime } from '../verify/scheme.ts';
import { replayWindowSeconds } from '../verify/scheme.ts';

const dotted = (path: readonly string[]): string => path.join('.') || 'the value itself';

/** Where something stands, in words. */
const describePlace = (place: Place): string => {
  if ('header' in place) return `\`${place.header}\``;
  if ('query' in place) return `\`?${place.query}\``;
  if ('literal' in place) return `“${place.literal}”`;
  if ('json' in place) return `\`${dotted(place.json)}\``;
  if ('origin' in place) return `the origin of \`${dotted(place.origin)}\``;
  if ('whole' in place) return `\`${dotted(place.whole)}\` of the body`;
  return 'parent' in place
    ? `\`${dotted(place.parent)}\` of what holds the list`
    : `\`${dotted(place.inner)}\` inside`;
};

const describeCondition = ({ at, is, absent }: Condition): string => {
  if (absent === true) return `no ${describePlace(at)}`;
  return is === undefined ? describePlace(at) : `${describePlace(at)} is \`${is}\``;
};

const describePart = (part: SignedPart): string => {
  if (typeof part === 'string') return { formSorted: 'the sorted form' }[part as 'formSorted'] ?? part;
  if ('literal' in part) return `\`${part.literal}\``;
  if ('header' in part) return `\`${part.header}\``;
  return 'url' in part ? 'URL' : `\`${part.json.join('.')}\``;
};

const describeTime = (time: SigningTime): string => {
  const where =
    'header' in time
      ? `\`${time.header}\``
      : 'item' in time
        ? `\`${time.item}\``
        : `\`${time.json.join('.')}\``;
  const unit = { s: 's', ms: 'ms', iso: 'ISO 8601' }[time.unit ?? 's'];
  return `; time in ${where} (${unit}), ±${time.window ?? replayWindowSeconds} s`;
};

const describeBytes = ({ signed, signature, timestamp }: SignedBytes, encoding: string): string => {
  const where =
    'header' in signature
      ? `\`${signature.header}\``
      : 'headers' in signature
        ? `headers \`${signature.headers.source}\``
        : `\`${signature.json.join('.')}\``;
  const prefix = signature.prefix === undefined ? '' : ` after \`${signature.prefix}\``;
  const time = timestamp === undefined ? '; no time' : describeTime(timestamp);
  return `over ${signed.map(describePart).join(' + ')}, ${encoding}${prefix} in ${where}${time}`;
};

/** What a delivery must prove, in one sentence. */
export const describeProof = (proof: Proof): string => {
  switch (proof.kind) {
    case 'hmac':
      return `HMAC-${proof.algorithm.toUpperCase()} ${describeBytes(proof, proof.encoding)}${proof.key === 'text' ? '' : `; the key is ${proof.key}`}`;
    case 'ed25519':
      return `Ed25519 ${describeBytes(proof, proof.encoding)}`;
    case 'ecdsa':
      return `ECDSA P-256 with SHA-256 ${describeBytes(proof, 'DER in base64')}`;
    case 'token': {
      const { at } = proof;
      const where = 'item' in at ? `\`${dotted(at.item)}\` of every item` : describePlace(at);
      return proof.param === undefined
        ? `a secret as it is in ${where}`
        : `${where} as \`params.${proof.param}\` says, where it is given`;
    }
    case 'hash':
      return `SHA-256 over secret + ${proof.signed.map(describePart).join(' + ')}, hex in \`${proof.signature.header}\``;
    case 'body-digest':
      return `the SHA-256 of the body in \`?${proof.at.query}\``;
    case 'jwt': {
      const where = 'header' in proof.at ? `\`${proof.at.header}\`` : `\`${dotted(proof.at.json)}\``;
      const keys = proof.keys === 'secrets' ? 'a secret' : `the keys of ${proof.keys.jwks}`;
      const claims = [
        ...(proof.audience === null
          ? []
          : [
              `\`aud\` is \`params.${proof.audience.param}\`${proof.audience.own === true ? '' : ', else our URL'}`,
            ]),
        ...(proof.anyClaim === undefined
          ? []
          : [
              `${proof.anyClaim.names.map((name) => `\`${name}\``).join(' or ')} is \`${proof.anyClaim.is}\``,
            ]),
        ...Object.entries(proof.claims ?? {}).map(
          ([name, wanted]) =>
            `\`${name}\` is \`${typeof wanted === 'object' ? `params.${wanted.param}` : wanted}\``,
        ),
      ];
      const only =
        proof.items === undefined
          ? ''
          : `for items with \`${dotted(proof.items.holding)}\`, whose \`${dotted(proof.items.is)}\` is a token's \`${proof.items.claim}\`: `;
      return `${only}a JWT (${proof.algorithm}) in ${where}, by ${keys}${claims.length === 0 ? '' : `; ${claims.join(', ')}`}${proof.binds === undefined ? '; the body is not bound to it' : ''}`;
    }
    case 'x509':
      return `RSA over fields of the body, by the certificate at \`${dotted(proof.certificate)}\` (only \`${proof.url.source}\`)`;
    case 'anyOf':
      return `any of: ${proof.of.map(describeProof).join('; or ')}`;
    case 'allOf':
      return `all of: ${proof.of.map(describeProof).join('; and ')}`;
    case 'choose':
      return proof.of
        .map(
          ({ when, proof: one }) =>
            `${when.length === 0 ? 'else' : `with ${when.map(describeCondition).join(' and ')}`}: ${describeProof(one)}`,
        )
        .join('. ');
  }
};
