import { createHash, timingSafeEqual } from 'node:crypto';
import { CodedError } from '../domain/errors.ts';
import type { ApiToken, Caller } from './caller.ts';

/**
 * Makes the function that finds whose token a request carries. Secrets are compared as hashes, so in constant time
 * whatever their lengths, and every token is compared, so that the time says nothing about which one was near.
 *
 * @throws (the function) TOKEN_MISSING, TOKEN_INVALID
 */
export const createCallerIdentifier = (
  tokens: readonly ApiToken[],
): ((authorization: string | undefined) => Caller) => {
  const known = tokens.map((token) => ({ caller: callerOf(token), hash: hash(token.secret) }));
  return (authorization) => {
    const given = /^bearer /i.test(authorization ?? '') ? (authorization ?? '').slice(7).trim() : '';
    if (given === '') throw new CodedError('TOKEN_MISSING');
    const givenHash = hash(given);
    let caller: Caller | undefined;
    for (const each of known) {
      if (timingSafeEqual(each.hash, givenHash)) caller = each.caller;
    }
    if (caller === undefined) throw new CodedError('TOKEN_INVALID');
    return caller;
  };
};

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

const callerOf = (token: ApiToken): Caller => ({
  token: token.id,
  role: token.role,
  scope:
    token.role === 'admin'
      ? { tenant: null, principals: null }
      : { tenant: token.tenant, principals: token.principals.includes('*') ? null : token.principals },
});
