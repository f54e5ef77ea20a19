import type { IncomingHttpHeaders } from 'node:http';
import type { Body, BodyFault } from '../read-body.ts';

export type Headers = Readonly<IncomingHttpHeaders>;

/** One request as it is judged. */
export type Delivery = {
  method: string;
  /** As received, from its `?` on; empty where there is none. */
  query: string;
  headers: Headers;
  raw: Buffer;
  /** Milliseconds since 1970. */
  now: number;
  /** Read once, when it is first asked for: most proofs stand outside the body and are judged before it is parsed. */
  body: () => Body | BodyFault;
};

/** The step at which a proof failed, for the operator. */
export type Step = 'presence' | 'time' | 'key' | 'signature' | 'claims' | 'token' | 'body';

/** An expected "no" is a value: a verifier never throws, whatever arrives. `why` holds nothing of secret or payload. */
export type Verdict =
  | {
      ok: true;
      /** Set where a batch is proven item by item: whether this one is. */
      admits?: (item: unknown) => boolean;
    }
  | {
      ok: false;
      code: 'SIGNATURE_MISSING' | 'SIGNATURE_MISMATCH' | 'TIMESTAMP_OUTSIDE_WINDOW' | 'KEYS_UNAVAILABLE';
      step: Step;
      why: string;
    };

/** Judges one delivery, once, on arrival. A promise only where keys may have to be fetched: the HMAC path never waits. */
export type Verify = (delivery: Delivery) => Verdict | Promise<Verdict>;
