import { createPublicKey, createSecretKey, type KeyObject } from 'node:crypto';
import type { KeyForm } from './scheme.ts';

type Reading = { key: KeyObject } | { fault: string };

/** Ed25519's SubjectPublicKeyInfo before the 32 bytes of the key (RFC 8410). */
const ed25519Spki = Buffer.from('302a300506032b6570032100', 'hex');

const isBase64 = (text: string): boolean =>
  /^[A-Za-z0-9+/]+={0,2}$/.test(text) && text.replace(/=+$/, '').length % 4 !== 1;

const readSpki = (der: Buffer, wanted: 'ed25519' | 'ec', fault: string): Reading => {
  try {
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
    return type === wanted && (wanted !== 'ec' || details?.namedCurve === 'prime256v1') ? { key } : { fault };
  } catch {
    return { fault };
  }
};

const readers: Readonly<Record<KeyForm, (secret: string) => Reading>> = {
  text: (secret) => ({ key: createSecretKey(secret, 'utf8') }),
  base64: (secret) => {
    const text = secret.replace(/^whsec_/, '');
    return isBase64(text)
      ? { key: createSecretKey(text, 'base64') }
      : { fault: 'is not base64, with or without whsec_ before it, as Standard Webhooks secrets are' };
  },
  hex: (secret) =>
    /^([0-9a-fA-F]{2})+$/.test(secret)
      ? { key: createSecretKey(secret, 'hex') }
      : { fault: 'is not hexadecimal' },
  'ed25519-hex': (secret) =>
    /^[0-9a-fA-F]{64}$/.test(secret)
      ? readSpki(
          Buffer.concat([ed25519Spki, Buffer.from(secret, 'hex')]),
          'ed25519',
          'is no Ed25519 public key',
        )
      : { fault: 'is not an Ed25519 public key, 64 hexadecimal digits' },
  'ed25519-base64': (secret) => {
    const bytes = Buffer.from(secret.replace(/^whpk_/, ''), 'base64');
    return bytes.length === 32
      ? readSpki(Buffer.concat([ed25519Spki, bytes]), 'ed25519', 'is no Ed25519 public key')
      : { fault: 'is not an Ed25519 public key, whpk_ and the base64 of 32 bytes' };
  },
  'p256-spki': (secret) => {
    const fault = 'is not a P-256 public key (base64 of SubjectPublicKeyInfo, or PEM)';
    const text = secret.replace(/-----(BEGIN|END) PUBLIC KEY-----/g, '').replace(/\s/g, '');
    return isBase64(text) ? readSpki(Buffer.from(text, 'base64'), 'ec', fault) : { fault };
  },
};

/**
 * Turns a configured secret into the key, or says why it can't be one. Called at start, so that a source with a secret
 * that could never match refuses to start instead of refusing every delivery.
 */
export const readKey = (form: KeyForm, secret: string): Reading => {
  if (secret.trim() === '') return { fault: 'is empty or blank' };
  if (secret !== secret.trim())
    return { fault: 'starts or ends with blank space, probably a stray line end' };
  return readers[form](secret);
};
