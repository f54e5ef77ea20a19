import { findProfile } from '../../src/ingress/vendors/find-profile.ts';
import { signProof } from '../../src/ingress/verify/sign-proof.ts';
import type { Vector } from './run-vector.ts';

/** A delivery as the vendor would sign it with this secret, for tests that change it. */
export const sign = (
  vendor: string,
  secret: string,
  {
    body,
    headers = {},
    now = 1_750_000_000,
  }: { body: string; headers?: Record<string, string>; now?: number },
): Vector => {
  const url = 'https://hooks.example/ingress/source';
  const signed = signProof(findProfile(vendor).proof, secret, {
    ...{ method: 'POST', url, headers, now: now * 1000 },
    raw: Buffer.from(body),
  });
  return {
    ...{ title: '', secrets: [secret], url, now, expect: [] },
    headers: signed.headers,
    body: signed.raw.toString(),
  };
};
