import { createDecipheriv, createHmac, type KeyObject, timingSafeEqual, webcrypto } from 'node:crypto';
import { safeText } from '../../domain/safe-text.ts';
import { readBody } from '../read-body.ts';
import { readPath } from '../read-path.ts';
import { createDigestDecoder } from '../verify/create-digest-decoder.ts';
import type { OpenSealed } from './open-sealed.ts';

const decodeSignature = createDigestDecoder('base64', 32);
const keyBytes = 32;
const ivBytes = 16;

const importKey = (key: KeyObject): Promise<webcrypto.CryptoKey> =>
  webcrypto.subtle.importKey(
    'pkcs8',
    key.export({ format: 'der', type: 'pkcs8' }),
    { name: 'RSA-OAEP', hash: 'SHA-1' },
    false,
    ['decrypt'],
  );

const unwrap = async (key: Promise<webcrypto.CryptoKey>, wrapped: string): Promise<Buffer | null> => {
  try {
    const sealed = Buffer.from(wrapped, 'base64');
    return Buffer.from(await webcrypto.subtle.decrypt({ name: 'RSA-OAEP' }, await key, sealed));
  } catch {
    return null;
  }
};

const decrypt = (key: Buffer, data: Buffer): Buffer | null => {
  try {
    const decipher = createDecipheriv('aes-256-cbc', key, key.subarray(0, ivBytes));
    return Buffer.concat([decipher.update(data), decipher.final()]);
  } catch {
    return null;
  }
};

/**
 * Makes what opens Microsoft Graph's `encryptedContent`: its own AES key for each item, wrapped with RSA-OAEP for one of
 * our certificates, and an HMAC over the ciphertext that is checked before anything is decrypted.
 * https://learn.microsoft.com/en-us/graph/change-notifications-with-resource-data#decrypting-resource-data
 *
 * @param keys private keys by `encryptionCertificateId`
 */
export const createGraphOpener = (keys: ReadonlyMap<string, KeyObject>): OpenSealed => {
  // RSA through WebCrypto: it runs beside the event loop, which a batch of unwrapped keys would stop.
  const imported = new Map<string, Promise<webcrypto.CryptoKey>>();
  const keyOf = (id: string): Promise<webcrypto.CryptoKey> | null => {
    const key = keys.get(id);
    if (key === undefined) return null;
    const known = imported.get(id) ?? importKey(key);
    imported.set(id, known);
    return known;
  };

  return async (sealed) => {
    const [id, dataKey, dataSignature, data] = [
      'encryptionCertificateId',
      'dataKey',
      'dataSignature',
      'data',
    ].map((name) => readPath(sealed, [name]));
    if (
      typeof id !== 'string' ||
      typeof dataKey !== 'string' ||
      typeof dataSignature !== 'string' ||
      typeof data !== 'string'
    )
      return { fault: 'Its encrypted content is not whole' };
    const privateKey = keyOf(id);
    if (privateKey === null)
      return { fault: `No private key is configured for its certificate ${safeText(id, 128)}` };
    const key = await unwrap(privateKey, dataKey);
    if (key?.length !== keyBytes)
      return { fault: `The private key of ${safeText(id, 128)} does not open its data key` };
    const bytes = Buffer.from(data, 'base64');
    const signature = decodeSignature(dataSignature);
    const expected = createHmac('sha256', key).update(bytes).digest();
    if (signature === null || !timingSafeEqual(signature, expected))
      return { fault: 'Its encrypted content is not the one that was signed' };
    const plain = decrypt(key, bytes);
    const body = plain === null ? null : readBody('json', plain);
    return body === null || 'code' in body
      ? { fault: 'Its encrypted content does not decrypt to JSON' }
      : { text: body.text };
  };
};
