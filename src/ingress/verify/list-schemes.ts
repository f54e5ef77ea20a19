import type { Proof, Scheme } from './scheme.ts';

/** Every scheme in a proof, in order. */
export const listSchemes = (proof: Proof): Scheme[] => {
  if (proof.kind === 'choose') return proof.of.flatMap((one) => listSchemes(one.proof));
  if (proof.kind === 'anyOf' || proof.kind === 'allOf') return proof.of.flatMap(listSchemes);
  return [proof];
};
