import type { X509Certificate } from 'node:crypto';
import type { JSONWebKeySet } from 'jose';

/** `away`: the key server can't be asked, so nothing can be said of the delivery; `refused`: there is no such key. */
export type Kept<Value> = { kind: 'got'; value: Value } | { kind: 'refused' | 'away'; why: string };

/** Keys that are fetched and kept. Whoever asks has checked the URL; nothing here ever throws. */
export type RemoteKeys = {
  /** @param unknown the key id that the kept set lacks: asked for anew, unless that was done a moment ago */
  jwks: (url: string, unknown?: boolean) => Promise<Kept<JSONWebKeySet>>;
  certificate: (url: string) => Promise<Kept<X509Certificate>>;
  /** Fetches a URL for its effect (a subscription's confirmation). */
  visit: (url: string) => Promise<Kept<true>>;
};
