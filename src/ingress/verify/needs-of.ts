import { listSchemes } from './list-schemes.ts';
import type { Proof, Scheme } from './scheme.ts';

const usesSecrets = (scheme: Scheme): boolean => {
  if (scheme.kind === 'token') return scheme.param === undefined;
  if (scheme.kind === 'jwt') return scheme.keys === 'secrets';
  return scheme.kind !== 'x509' && scheme.kind !== 'body-digest';
};

const usesUrl = (scheme: Scheme): boolean => {
  if ('signed' in scheme) return scheme.signed.some((part) => typeof part === 'object' && 'url' in part);
  if (scheme.kind !== 'jwt') return false;
  return (scheme.audience !== null && scheme.audience.own !== true) || scheme.binds !== undefined;
};

/** What a source must have for a proof: secrets of its own, and the URL under which the vendor knows us. */
export const needsOf = (proof: Proof): { secrets: boolean; url: boolean } => {
  const schemes = listSchemes(proof);
  return { secrets: schemes.some(usesSecrets), url: schemes.some(usesUrl) };
};
