import { createSecretKey, type KeyObject } from 'node:crypto';
import type { HmacScheme } from './hmac-scheme.ts';

/**
 * Turns a configured secret into the key, or says why it can't be one. Called at start, so that a source with a secret
 * that could never match refuses to start instead of refusing every delivery.
 */
export const readKey = (kind: HmacScheme['key'], secret: string): { key: KeyObject } | { fault: string } => {
  if (secret.trim() === '') return { fault: 'is empty or blank' };
  if (secret !== secret.trim())
    return { fault: 'starts or ends with blank space, probably a stray line end' };
  if (kind === 'text') return { key: createSecretKey(secret, 'utf8') };
  const text = secret.replace(/^whsec_/, '');
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.replace(/=+$/, '').length % 4 === 1)
    return { fault: 'is not whsec_ followed by base64, as Standard Webhooks secrets are' };
  return { key: createSecretKey(text, 'base64') };
};
