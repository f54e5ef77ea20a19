import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { holds } from '../../src/ingress/read-place.ts';
import { setPath } from '../../src/ingress/set-path.ts';
import { vendorProfiles } from '../../src/ingress/vendors/find-profile.ts';
import { listSchemes } from '../../src/ingress/verify/list-schemes.ts';
import type { KeyForm, Proof, Scheme, SignedBytes, SigningTime } from '../../src/ingress/verify/scheme.ts';
import { replayWindowSeconds } from '../../src/ingress/verify/scheme.ts';
import type { Headers } from '../../src/ingress/verify/verdict.ts';
import { lowerCase, runVector, type Vector } from './run-vector.ts';

const load = (vendor: string): Vector[] => {
  const file = join(import.meta.dirname, 'vectors', `${vendor}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [];
};

/** The schemes that judge this vector: of a choice the way that it takes. */
const judging = (proof: Proof, vector: Vector): Scheme[] => {
  if (proof.kind === 'anyOf' || proof.kind === 'allOf')
    return proof.of.flatMap((one) => judging(one, vector));
  // Tokens that only some items need are tried where those items are: graph-resource-data.test.ts.
  if (proof.kind === 'jwt' && proof.items !== undefined) return [];
  if (proof.kind !== 'choose') return [proof];
  const query = vector.url.includes('?') ? vector.url.slice(vector.url.indexOf('?')) : '';
  const headers = lowerCase(vector.headers);
  const way = proof.of.find(({ when }) =>
    holds(when, { headers, query, body: parsed(vector.body), item: parsed(vector.body) }),
  );
  return way === undefined ? [] : judging(way.proof, vector);
};

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

/** A secret of the same form that signed nothing. */
const otherSecret = (schemes: readonly Scheme[]): string => {
  const form: KeyForm = schemes.flatMap((one) => ('key' in one ? [one.key] : []))[0] ?? 'text';
  const forms: Readonly<Record<KeyForm, () => string>> = {
    text: () => 'another secret that signed nothing',
    base64: () => `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
    hex: () => '0123456789abcdef'.repeat(4),
    'ed25519-hex': () => ed25519().toString('hex'),
    'ed25519-base64': () => `whpk_${ed25519().toString('base64')}`,
    'p256-spki': () =>
      generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
        .publicKey.export({ format: 'der', type: 'spki' })
        .toString('base64'),
  };
  return forms[form]();
};
const ed25519 = (): Buffer =>
  generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);

const timeOf = (schemes: readonly Scheme[]): SigningTime | undefined =>
  schemes.flatMap((one) => ('timestamp' in one && one.timestamp !== undefined ? [one.timestamp] : []))[0];

const coversBody = (schemes: readonly Scheme[]): boolean =>
  schemes.some(
    (one) =>
      one.kind === 'body-digest' ||
      ('signed' in one && (one.signed.includes('body') || one.signed.includes('formSorted'))),
  );

/** The headers of a delivery in which this scheme finds its signatures. */
const signatureHeaders = ({ signature }: SignedBytes, headers: Headers): string[] => {
  if ('header' in signature) return [signature.header];
  return 'headers' in signature ? Object.keys(headers).filter((name) => signature.headers.test(name)) : [];
};

/** Headers without which there is no proof. */
const neededHeaders = (schemes: readonly Scheme[], headers: Headers): string[] => {
  const named = schemes.flatMap((one): string[] => {
    if (one.kind === 'token') return 'header' in one.at ? [one.at.header] : [];
    if (one.kind === 'jwt') return 'header' in one.at ? [one.at.header] : [];
    if (!('signed' in one)) return [];
    const parts = one.signed.flatMap((part) =>
      typeof part === 'object' && 'header' in part ? [part.header] : [],
    );
    const time =
      'timestamp' in one && one.timestamp !== undefined && 'header' in one.timestamp
        ? [one.timestamp.header]
        : [];
    const signatures = signatureHeaders(one, headers);
    // Of several headers each proves alone.
    return [...parts, ...time, ...(signatures.length === 1 ? signatures : [])];
  });
  return [...new Set(named)].filter((name) => headers[name] !== undefined);
};

/** Members of the body without which there is no proof. */
const neededMembers = (schemes: readonly Scheme[]): (readonly string[])[] =>
  schemes.flatMap((one) => {
    if (one.kind === 'x509') return [one.signature, one.certificate];
    if (one.kind === 'jwt') return 'json' in one.at ? [one.at.json] : [];
    if (one.kind === 'token') return 'json' in one.at ? [one.at.json] : [];
    if (!('signed' in one)) return [];
    return [
      ...('json' in one.signature ? [one.signature.json] : []),
      ...('timestamp' in one && one.timestamp !== undefined && 'json' in one.timestamp
        ? [one.timestamp.json]
        : []),
    ];
  });

test('every profile has vectors', () => {
  for (const { vendor } of vendorProfiles) expect([vendor, load(vendor).length > 0]).toEqual([vendor, true]);
});

describe.each(vendorProfiles.map((profile) => [profile.vendor, profile] as const))(
  'S21: %s',
  (vendor, profile) => {
    const vectors = load(vendor);
    const base = (vector: Vector) => ({ ...vector, headers: lowerCase(vector.headers) as Headers });
    const outcome = async (vector: Parameters<typeof runVector>[1]): Promise<string> => {
      const { received, announcements } = await runVector(vendor, vector);
      if (received.kind === 'refused') {
        expect(announcements).toEqual([]);
        return received.code;
      }
      return received.kind;
    };

    test.each(vectors.map((vector) => [vector.title, vector] as const))(
      'good: %s',
      async (_title, vector) => {
        const { received, announcements } = await runVector(vendor, base(vector));
        if (vector.greets !== undefined) {
          expect(received).toMatchObject({ kind: 'greeted', ...vector.greets });
          expect(announcements).toEqual([]);
          return;
        }
        expect(received).toMatchObject({ kind: 'accepted', accepted: vector.expect.length, unproven: 0 });
        expect(announcements).toHaveLength(vector.expect.length);
        expect(announcements).toMatchObject(vector.expect);
        for (const { ref, refusal, data } of announcements) {
          expect(refusal).toBeUndefined();
          expect(ref).not.toBe('');
          expect(() => JSON.parse(data)).not.toThrow();
        }
      },
    );

    // Handshakes that nothing proves have no bad form.
    const proven = vectors.filter(({ greets, method }) => greets === undefined && method === undefined);

    test('at least one good vector is an event', () => {
      expect(proven.length).toBeGreaterThan(0);
      expect(proven.some((one) => one.expect.length > 0)).toBe(true);
    });

    describe.each(proven.map((vector) => [vector.title, vector] as const))('bad: %s', (_title, vector) => {
      const good = base(vector);
      const schemes = judging(profile.proof, vector);
      const usesSecrets = vector.secrets.length > 0;
      const other = otherSecret(schemes);
      const refused = /^(SIGNATURE_MISSING|SIGNATURE_MISMATCH|TIMESTAMP_OUTSIDE_WINDOW)$/;

      test('another secret; a previous or a next one beside it does no harm', async () => {
        expect(schemes.length).toBeGreaterThan(0);
        if (!usesSecrets) {
          for (const [name, value] of Object.entries(vector.params ?? {}))
            if (name !== 'jwks')
              expect(await outcome({ ...good, params: { ...vector.params, [name]: `${value}x` } })).toBe(
                'SIGNATURE_MISMATCH',
              );
          return;
        }
        expect(await outcome({ ...good, secrets: [other] })).toBe('SIGNATURE_MISMATCH');
        expect(await outcome({ ...good, secrets: [other, ...vector.secrets] })).toBe('accepted');
        expect(await outcome({ ...good, secrets: [...vector.secrets, other] })).toBe('accepted');
      });

      test('a changed body, where it is covered', async () => {
        if (schemes.some(({ kind }) => kind === 'x509')) {
          const body = JSON.parse(vector.body);
          expect(
            await outcome({ ...good, body: JSON.stringify({ ...body, Message: `${body.Message} ` }) }),
          ).toMatch(refused);
          expect(
            await outcome({ ...good, body: JSON.stringify({ ...body, Type: 'UnsubscribeConfirmation' }) }),
          ).toMatch(refused);
        }
        if (!coversBody(schemes)) return;
        const bytes = Buffer.from(vector.body);
        for (const at of [0, Math.floor(bytes.length / 2), bytes.length - 1]) {
          const changed = Buffer.from(bytes);
          changed[at] = changed[at] === 0x61 ? 0x62 : 0x61;
          expect(await outcome({ ...good, body: changed })).toMatch(refused);
        }
        expect(await outcome({ ...good, body: Buffer.concat([bytes, Buffer.from('a')]) })).toMatch(refused);
        expect(await outcome({ ...good, body: bytes.subarray(0, -8) })).toMatch(refused);
      });

      test('an old and a future time, where one is signed', async () => {
        const time = timeOf(schemes);
        if (schemes.some(({ kind }) => kind === 'jwt')) {
          expect(await outcome({ ...good, now: vector.now + 86_400 })).toBe('TIMESTAMP_OUTSIDE_WINDOW');
          expect(await outcome({ ...good, now: vector.now - 86_400 })).toBe('TIMESTAMP_OUTSIDE_WINDOW');
        } else if (time === undefined) {
          expect(await outcome({ ...good, now: vector.now + 86_400 })).toBe('accepted');
        } else {
          const window = time.window ?? replayWindowSeconds;
          for (const away of [window, -window])
            expect(await outcome({ ...good, now: vector.now + away })).toBe('accepted');
          for (const away of [window + 1, -window - 1, 10 * 365 * 86_400])
            expect(await outcome({ ...good, now: vector.now + away })).toBe('TIMESTAMP_OUTSIDE_WINDOW');
        }
      });

      test('a missing, empty or doubled header; a missing member', async () => {
        const members = neededMembers(schemes);
        const headers = neededHeaders(schemes, good.headers);
        const items = schemes.some((one) => one.kind === 'token' && 'item' in one.at);
        expect(members.length + headers.length + (items ? 1 : 0)).toBeGreaterThan(0);
        for (const name of headers) {
          const value = String(good.headers[name]);
          const { [name]: _dropped, ...rest } = good.headers;
          expect(await outcome({ ...good, headers: rest })).toBe('SIGNATURE_MISSING');
          expect(await outcome({ ...good, headers: { ...rest, [name]: '' } })).toBe('SIGNATURE_MISSING');
          expect(await outcome({ ...good, headers: { ...rest, [name]: `${value}, ${value}` } })).toMatch(
            refused,
          );
        }
        for (const path of members) {
          const body: unknown = JSON.parse(vector.body);
          setPath(body, path, undefined);
          expect(await outcome({ ...good, body: JSON.stringify(body) })).toMatch(/^SIGNATURE_/);
        }
      });

      test('a signature of another encoding, cut, or lengthened', async () => {
        for (const one of schemes) {
          if (!('encoding' in one)) continue;
          const { signature } = one;
          const prefix = signature.prefix ?? '';
          const recode = (value: string): string => {
            const items = signature.separator === undefined ? [value] : value.split(signature.separator);
            return items
              .map((item) => {
                if (!item.startsWith(prefix)) return item;
                const to = one.encoding === 'hex' ? 'base64' : 'hex';
                return prefix + Buffer.from(item.slice(prefix.length), one.encoding).toString(to);
              })
              .join(signature.separator ?? '');
          };
          const changes = [recode, (value: string) => value.slice(0, -2), (value: string) => `${value}00`];
          for (const change of changes) {
            const names = signatureHeaders(one, good.headers);
            if (names.length > 0) {
              const changed = names.map((name) => [name, change(String(good.headers[name]))]);
              expect(
                await outcome({ ...good, headers: { ...good.headers, ...Object.fromEntries(changed) } }),
              ).toMatch(refused);
            }
            if ('json' in signature) {
              const body: unknown = JSON.parse(vector.body);
              const old = signature.json.reduce<unknown>(
                (value, key) => Reflect.get(Object(value), key),
                body,
              );
              setPath(body, signature.json, change(String(old)));
              expect(await outcome({ ...good, body: JSON.stringify(body) })).toMatch(refused);
            }
          }
        }
      });

      test('of several signatures any may be the good one, the first or the last', async () => {
        for (const one of schemes) {
          if (!('signed' in one) || one.kind === 'hash') continue;
          const { signature } = one;
          const value = 'header' in signature ? String(good.headers[signature.header]) : '';
          if (!('header' in signature) || signature.separator === undefined) continue;
          const prefix = signature.prefix ?? '';
          const items = value.split(signature.separator);
          const wrong = items
            .filter((item) => item.startsWith(prefix))
            .map(
              (item) =>
                prefix +
                item.slice(prefix.length).replace(/[0-9a-f]/, (digit) => (digit === '0' ? '1' : '0')),
            );
          const withItems = (list: readonly string[]) =>
            outcome({
              ...good,
              headers: { ...good.headers, [signature.header]: list.join(signature.separator) },
            });
          expect(await withItems([...items, ...wrong])).toBe('accepted');
          expect(await withItems([...wrong, ...items])).toBe('accepted');
          expect(
            await withItems(items.map((item) => (item.startsWith(prefix) ? (wrong[0] ?? '') : item))),
          ).toBe('SIGNATURE_MISMATCH');
        }
      });

      test('another URL or method, where they are signed', async () => {
        const parts = schemes.flatMap((one) => ('signed' in one ? one.signed : []));
        if (parts.some((part) => typeof part === 'object' && 'url' in part)) {
          const [address = '', query] = vector.url.split('?');
          const tail = query === undefined ? '' : `?${query}`;
          expect(await outcome({ ...good, url: `${address}/${tail}` })).toMatch(refused);
          expect(
            await outcome({ ...good, url: `${vector.url}${query === undefined ? '?' : '&'}extra=1` }),
          ).toMatch(refused);
        }
      });
    });
  },
);

test('no scheme that proves nothing of the body stands where the vendor signs it', () => {
  for (const { vendor, proof } of vendorProfiles)
    for (const scheme of listSchemes(proof))
      if (scheme.kind === 'body-digest') expect([vendor, proof.kind]).toEqual(['twilio', 'choose']);
});
