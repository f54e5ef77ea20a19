import type { JWTPayload } from 'jose';
import { findItems } from '../find-items.ts';
import type { JsonPath } from '../place.ts';
import { readPath } from '../read-path.ts';
import { no } from './no.ts';
import type { JwtScheme } from './scheme.ts';
import type { Delivery, Verdict, Verify } from './verdict.ts';

type Judged = { ok: true; payloads: readonly JWTPayload[] } | (Verdict & { ok: false });

/** GUIDs, which some write in capitals. */
const lower = (value: unknown): unknown => (typeof value === 'string' ? value.toLowerCase() : value);

/**
 * Makes the verifier for a batch of which only some items need a token. Where the tokens are not good those items alone are
 * left out; the others never had one.
 *
 * @param judge judges all tokens of a delivery; not asked where no item needs one
 */
export const createItemTokenVerifier = (
  { holding, claim, is }: NonNullable<JwtScheme['items']>,
  split: readonly JsonPath[],
  judge: (delivery: Delivery) => Promise<Judged>,
): Verify => {
  const needs = (item: unknown): boolean => (readPath(item, holding) ?? null) !== null;

  return async (delivery): Promise<Verdict> => {
    const body = delivery.body();
    if ('code' in body)
      return no('SIGNATURE_MISSING', 'presence', 'The body that would hold tokens is not JSON');
    const items = findItems(body.text, body.value, split).map(({ value }) => value);
    if (!items.some(needs)) return { ok: true };
    const judged = await judge(delivery);
    // With the key server away the sender is asked to come again, and then all of them are judged.
    if (!judged.ok && (judged.code === 'KEYS_UNAVAILABLE' || items.every(needs))) return judged;
    const named = new Set(judged.ok ? judged.payloads.map((payload) => lower(payload[claim])) : []);
    const admits = (item: unknown): boolean => !needs(item) || named.has(lower(readPath(item, is)));
    return items.some(admits)
      ? { ok: true, admits }
      : no('SIGNATURE_MISMATCH', 'claims', `No token's ${claim} is the ${is.join('.')} of an item`);
  };
};
