import { createPrivateKey, type KeyObject } from 'node:crypto';

const minBits = 2048;

const readKey = (pem: string): KeyObject | null => {
  try {
    const key = createPrivateKey(pem);
    const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
    return key.asymmetricKeyType === 'rsa' && bits >= minBits ? key : null;
  } catch {
    return null;
  }
};

/**
 * The RSA private keys among the params of a source, by what follows the prefix in a param's name. One that can't be used
 * is a fault at start: it would only show when the first event that needs it is lost.
 */
export const readPrivateKeys = (
  params: Readonly<Record<string, string>>,
  prefix: string,
): { keys: ReadonlyMap<string, KeyObject> } | { fault: string } => {
  const keys = new Map<string, KeyObject>();
  for (const [name, pem] of Object.entries(params)) {
    if (!name.startsWith(prefix)) continue;
    const key = readKey(pem);
    if (key === null)
      return {
        fault: `params.${name} is no RSA private key of ${minBits} bits or more, in PEM and without a passphrase`,
      };
    keys.set(name.slice(prefix.length), key);
  }
  return { keys };
};
