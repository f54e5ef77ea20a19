import type { KeyObject } from 'node:crypto';
import type { JsonPath } from '../place.ts';
import { holds } from '../read-place.ts';
import type { RemoteKeys } from '../remote-keys/remote-keys.ts';
import { createBodyDigestVerifier } from './create-body-digest-verifier.ts';
import { createHashVerifier } from './create-hash-verifier.ts';
import { createHmacVerifier } from './create-hmac-verifier.ts';
import { createJwtVerifier } from './create-jwt-verifier.ts';
import { createPublicKeyVerifier } from './create-public-key-verifier.ts';
import { createTokenVerifier } from './create-token-verifier.ts';
import { createX509Verifier } from './create-x509-verifier.ts';
import { no } from './no.ts';
import { readKey } from './read-key.ts';
import type { KeyForm, Proof } from './scheme.ts';
import type { Delivery, Verdict, Verify } from './verdict.ts';

export type ProofContext = {
  /** Live secrets, the newest first. */
  secrets: readonly string[];
  params: Readonly<Record<string, string>>;
  /** Under which the sender knows us, without query. */
  url: string;
  split: readonly JsonPath[];
  keys: RemoteKeys;
};

const then = (verdict: Verdict | Promise<Verdict>, next: (verdict: Verdict) => Verdict | Promise<Verdict>) =>
  verdict instanceof Promise ? verdict.then(next) : next(verdict);

/** What both leave of a batch, where they judge its items. */
const admitBoth = (a: Verdict & { ok: true }, b: Verdict & { ok: true }): Verdict & { ok: true } => {
  const [first, second] = [a.admits, b.admits];
  if (first === undefined || second === undefined) return { ...a, ...b };
  return { ok: true, admits: (item) => first(item) && second(item) };
};

/** Every one must pass; the first that does not says why. */
const allOf = (verifiers: readonly Verify[]): Verify => {
  const judge = (
    delivery: Delivery,
    index: number,
    sofar: Verdict & { ok: true },
  ): Verdict | Promise<Verdict> => {
    const verify = verifiers[index];
    if (verify === undefined) return sofar;
    return then(verify(delivery), (verdict) =>
      verdict.ok ? judge(delivery, index + 1, admitBoth(sofar, verdict)) : verdict,
    );
  };
  return (delivery) => judge(delivery, 0, { ok: true });
};

/** One must pass. If none does, a key server that is away says more than any mismatch: it may be tried again. */
const anyOf = (verifiers: readonly Verify[]): Verify => {
  const judge = (delivery: Delivery, index: number, refused: Verdict | null): Verdict | Promise<Verdict> => {
    const verify = verifiers[index];
    if (verify === undefined)
      return refused ?? no('SIGNATURE_MISSING', 'presence', 'There is no proof to judge');
    return then(verify(delivery), (verdict) => {
      if (verdict.ok) return verdict;
      const missed = refused?.ok === false && refused.code === 'SIGNATURE_MISSING';
      const says = refused === null || verdict.code === 'KEYS_UNAVAILABLE' || missed ? verdict : refused;
      return judge(delivery, index + 1, says);
    });
  };
  return (delivery) => judge(delivery, 0, null);
};

/**
 * Makes the one verifier of a source from what its vendor's deliveries must prove. Secrets that can't be a key of a
 * scheme are left out there; `findUnusableSecrets` has refused those that suit none.
 */
export const createVerifier = (proof: Proof, context: ProofContext): Verify => {
  const { secrets, params, url, split } = context;
  const keysAs = (form: KeyForm): KeyObject[] =>
    secrets.flatMap((secret) => {
      const read = readKey(form, secret);
      return 'key' in read ? [read.key] : [];
    });

  switch (proof.kind) {
    case 'hmac':
      return createHmacVerifier(proof, keysAs(proof.key), url);
    case 'ed25519':
    case 'ecdsa':
      return createPublicKeyVerifier(proof, keysAs(proof.key), url);
    case 'token': {
      const named = proof.param === undefined ? undefined : params[proof.param];
      if (proof.param !== undefined && named === undefined) return () => ({ ok: true });
      return createTokenVerifier(proof, named === undefined ? secrets : named.split(/\s+/), split);
    }
    case 'hash':
      return createHashVerifier(proof, secrets, url);
    case 'body-digest':
      return createBodyDigestVerifier(proof);
    case 'jwt': {
      const { audience } = proof;
      if (audience?.own === true && params[audience.param] === undefined) return () => ({ ok: true });
      return createJwtVerifier(proof, { secrets, params, url, jwks: context.keys.jwks, split });
    }
    case 'x509':
      return createX509Verifier(proof, context.keys.certificate);
    case 'allOf':
      return allOf(proof.of.map((one) => createVerifier(one, context)));
    case 'anyOf':
      return anyOf(proof.of.map((one) => createVerifier(one, context)));
    case 'choose': {
      const ways = proof.of.map(({ when, proof: one }) => ({ when, verify: createVerifier(one, context) }));
      return (delivery) => {
        const { headers, query } = delivery;
        const way = ways.find(({ when }) => {
          const readsBody = when.some(({ at }) => 'json' in at);
          const body = readsBody ? delivery.body() : undefined;
          const value = body !== undefined && 'value' in body ? body.value : undefined;
          return holds(when, { headers, query, body: value, item: value });
        });
        return (
          way?.verify(delivery) ??
          no('SIGNATURE_MISSING', 'presence', 'It carries none of the proofs that are taken')
        );
      };
    }
  }
};
