import { X509Certificate } from 'node:crypto';
import type { JSONWebKeySet } from 'jose';
import { createKeeper } from './create-keeper.ts';
import { type Fetch, fetchBounded } from './fetch-bounded.ts';
import type { RemoteKeys } from './remote-keys.ts';

const parseJwks = (text: string): JSONWebKeySet | null => {
  try {
    const set: unknown = JSON.parse(text);
    const keys = typeof set === 'object' && set !== null ? Reflect.get(set, 'keys') : null;
    return Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null)
      ? { keys }
      : null;
  } catch {
    return null;
  }
};

const parseCertificate = (pem: string): X509Certificate | null => {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
};

/** Makes the keys of other parties, fetched when first needed and kept. `clock` in milliseconds since 1970. */
export const createRemoteKeys = ({ fetch, clock }: { fetch: Fetch; clock: () => number }): RemoteKeys => {
  const get = (url: string) => fetchBounded(fetch, url);
  const jwks = createKeeper({ get, parse: parseJwks, clock, max: 16 });
  const certificates = createKeeper({ get, parse: parseCertificate, clock, max: 64 });
  return {
    jwks,
    certificate: (url) => certificates(url),
    async visit(url) {
      const fetched = await get(url);
      return fetched.kind === 'got' ? { kind: 'got', value: true } : fetched;
    },
  };
};
