import { createHmac, type KeyObject } from 'node:crypto';
import type { SignedPieces } from './assemble-signed.ts';
import type { HmacScheme } from './scheme.ts';

/** The digest over what is signed. */
export const computeHmac = (
  algorithm: HmacScheme['algorithm'],
  key: KeyObject,
  pieces: SignedPieces,
): Buffer => {
  const hmac = createHmac(algorithm, key);
  for (const piece of pieces) {
    if (typeof piece === 'string') hmac.update(piece, 'latin1');
    else hmac.update(piece);
  }
  // By way of text: a Buffer that `digest()` makes lies outside Buffer's pool, a tenth of the cost of all this.
  return Buffer.from(hmac.digest('binary'), 'binary');
};
