import type { IncomingHttpHeaders } from 'node:http';

export type Headers = Readonly<IncomingHttpHeaders>;

/** An expected "no" is a value: a verifier never throws, whatever arrives. `why` holds nothing of secret or payload. */
export type Verdict =
  | { ok: true }
  | {
      ok: false;
      code: 'SIGNATURE_MISSING' | 'SIGNATURE_MISMATCH' | 'TIMESTAMP_OUTSIDE_WINDOW';
      why: string;
    };

/**
 * Judges the received bytes, before anything is parsed, once, on arrival. Every other kind of proof (token, Ed25519,
 * JWT, certificate) is one more maker of such a function.
 *
 * @param now milliseconds since 1970
 */
export type Verify = (headers: Headers, raw: Buffer, now: number) => Verdict;
