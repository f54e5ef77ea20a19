import { listSchemes } from './list-schemes.ts';
import { readKey } from './read-key.ts';
import type { Proof, Scheme } from './scheme.ts';

const formOf = (scheme: Scheme) => ('key' in scheme ? scheme.key : 'text');

/** Why a secret can be no key of any scheme of the proof; empty where all can be one. */
export const findUnusableSecrets = (
  proof: Proof,
  secrets: readonly string[],
): { index: number; fault: string }[] => {
  const forms = [...new Set(listSchemes(proof).map(formOf))];
  return secrets.flatMap((secret, index) => {
    const faults = forms.flatMap((form) => {
      const read = readKey(form, secret);
      return 'fault' in read ? [read.fault] : [];
    });
    return faults.length === forms.length ? [{ index, fault: faults[0] ?? 'suits no scheme' }] : [];
  });
};
