import { createHash } from 'node:crypto';
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import type { JsonPath } from '../place.ts';
import { readPath } from '../read-path.ts';
import type { RemoteKeys } from '../remote-keys/remote-keys.ts';
import { atlassianQsh } from './atlassian-qsh.ts';
import { createItemTokenVerifier } from './create-item-token-verifier.ts';
import { isSameText } from './is-same-text.ts';
import { no } from './no.ts';
import { readHeader } from './read-header.ts';
import type { JwtScheme } from './scheme.ts';
import type { Delivery, Verdict, Verify } from './verdict.ts';

type Context = {
  secrets: readonly string[];
  params: Readonly<Record<string, string>>;
  /** Under which the sender knows us, without query. */
  url: string;
  jwks: RemoteKeys['jwks'];
  /** The lists of a batch, for a scheme that judges items. */
  split: readonly JsonPath[];
};

/** Clocks of two machines; `exp` and `iat` are judged with it. */
const clockToleranceSeconds = 60;
/** Tokens that one body may carry; Graph sends one for each pair of app and tenant. */
const maxTokens = 50;

type No = Verdict & { ok: false };
type Tried = { ok: true; payload: JWTPayload } | No;
type Judged = { ok: true; payloads: readonly JWTPayload[] } | No;

/** What the library's refusal means here. */
const refusal = (error: unknown): No => {
  if (error instanceof errors.JWTExpired)
    return no('TIMESTAMP_OUTSIDE_WINDOW', 'time', 'The token has expired');
  if (error instanceof errors.JWTClaimValidationFailed)
    return error.claim === 'iat' || error.claim === 'nbf'
      ? no('TIMESTAMP_OUTSIDE_WINDOW', 'time', `The token's ${error.claim} is too far from our clock`)
      : no('SIGNATURE_MISMATCH', 'claims', `The token's ${error.claim} is not the one expected`);
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return no('SIGNATURE_MISMATCH', 'key', "None of the issuer's keys is the token's");
  return no('SIGNATURE_MISMATCH', 'signature', 'The token is not one that the expected key has signed');
};

const findTokens = (at: JwtScheme['at'], delivery: Delivery): readonly string[] | { why: string } => {
  if ('header' in at) {
    const read = readHeader(delivery.headers, at.header);
    if ('why' in read) return read;
    return read.value.startsWith(at.prefix)
      ? [read.value.slice(at.prefix.length)]
      : { why: `The header ${at.header} does not start with ${at.prefix.trim()}` };
  }
  const body = delivery.body();
  const found = 'value' in body ? readPath(body.value, at.json) : undefined;
  const tokens = Array.isArray(found) ? found.filter((one) => typeof one === 'string') : [];
  if (
    tokens.length === 0 ||
    tokens.length > maxTokens ||
    tokens.length !== (Array.isArray(found) && found.length)
  )
    return { why: `The body holds no list of tokens at ${at.json.join('.')}` };
  return tokens;
};

/** jose judges `iat` only together with an age. */
const isFromTheFuture = ({ iat }: JWTPayload, now: number): boolean =>
  iat !== undefined && iat > Math.floor(now / 1000) + clockToleranceSeconds;

const checkClaims = (scheme: JwtScheme, payload: JWTPayload, { params }: Context): string | null => {
  const { issuer, anyClaim } = scheme;
  // jose knows no patterns; a list is judged there.
  if (issuer instanceof RegExp) {
    const match = issuer.exec(payload.iss ?? '');
    if (match === null) return 'iss';
    const other = Object.entries(match.groups ?? {}).find(([name, value]) => payload[name] !== value);
    if (other !== undefined) return other[0];
  }
  if (anyClaim !== undefined) {
    const there = anyClaim.names.filter((name) => payload[name] !== undefined);
    if (there.length === 0 || there.some((name) => payload[name] !== anyClaim.is))
      return anyClaim.names.join(' or ');
  }
  for (const [name, wanted] of Object.entries(scheme.claims ?? {})) {
    const expected = typeof wanted === 'object' ? params[wanted.param] : wanted;
    if (expected === undefined || payload[name] !== expected) return name;
  }
  return null;
};

const checkBinding = (
  scheme: JwtScheme,
  payload: JWTPayload,
  delivery: Delivery,
  url: string,
): string | null => {
  const { binds } = scheme;
  if (binds === undefined) return null;
  const claim = 'bodySha256' in binds ? binds.bodySha256 : binds.atlassianQsh;
  const expected =
    'bodySha256' in binds
      ? createHash('sha256').update(delivery.raw).digest('hex')
      : atlassianQsh(delivery.method, new URL(url).pathname, delivery.query);
  return isSameText(String(payload[claim]), expected) ? null : claim;
};

/**
 * Whether the key that signed may sign for the token's issuer. In Microsoft's set each names its own, with `{tenantid}` for
 * any organisation: a key for consumers that is taken for an organisation's tokens has been misused before (Storm-0558).
 */
const isKeyOfIssuer = (
  issuer: JwtScheme['issuer'],
  { keys }: JSONWebKeySet,
  kid: string | undefined,
  payload: JWTPayload,
): boolean => {
  const key = keys.find((one) => one.kid === kid);
  // A member of Microsoft's that the RFC does not know.
  const named: unknown = key === undefined ? undefined : Reflect.get(key, 'issuer');
  if (!(issuer instanceof RegExp) || typeof named !== 'string') return true;
  const groups = issuer.exec(named.replace('{tenantid}', String(payload.tid)))?.groups ?? {};
  return groups.tid !== undefined && groups.tid === payload.tid;
};

/** The set of the param `jwks`; checked when the source is made. */
const fixedJwks = (text: string): Parameters<typeof createLocalJWKSet>[0] => JSON.parse(text);

/**
 * Makes the verifier for JSON Web Tokens. The algorithm and the issuer of the keys are the scheme's; of the message's
 * own header only the key id is used, to choose among that issuer's keys.
 */
export const createJwtVerifier = (scheme: JwtScheme, context: Context): Verify => {
  const { params, secrets, url, jwks, split } = context;
  const { issuer } = scheme;
  const named = scheme.audience === null ? null : (params[scheme.audience.param] ?? url);
  const audience = scheme.audience?.own === true ? (named?.split(/\s+/) ?? []) : named;

  const check = async (
    token: string,
    key: Uint8Array | ReturnType<typeof createLocalJWKSet>,
    now: number,
  ) => {
    const options = {
      algorithms: [scheme.algorithm],
      currentDate: new Date(now),
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ['exp', ...(scheme.maxAge === undefined ? [] : ['iat'])],
      ...(issuer === undefined || issuer instanceof RegExp ? {} : { issuer: [...issuer] }),
      ...(audience === null ? {} : { audience }),
      ...(scheme.maxAge === undefined ? {} : { maxTokenAge: scheme.maxAge }),
    };
    return key instanceof Uint8Array ? jwtVerify(token, key, options) : jwtVerify(token, key, options);
  };

  const trySecrets = async (token: string, now: number): Promise<Tried> => {
    let last: No = no('SIGNATURE_MISMATCH', 'key', 'No secret is configured');
    for (const secret of secrets) {
      try {
        return { ok: true, payload: (await check(token, new TextEncoder().encode(secret), now)).payload };
      } catch (error) {
        const refused = refusal(error);
        // A token that one secret signed and that is too old says so, whatever the other secrets say.
        if (refused.step !== 'signature' || last.step === 'key') last = refused;
      }
    }
    return last;
  };

  const tryJwks = async (token: string, now: number, from: string, anew = false): Promise<Tried> => {
    const kept =
      params.jwks === undefined
        ? await jwks(from, anew)
        : ({ kind: 'got', value: fixedJwks(params.jwks) } as const);
    if (kept.kind !== 'got')
      return no('KEYS_UNAVAILABLE', 'key', `The issuer's keys can't be fetched: ${kept.why}`);
    try {
      const { payload, protectedHeader } = await check(token, createLocalJWKSet(kept.value), now);
      return isKeyOfIssuer(issuer, kept.value, protectedHeader.kid, payload)
        ? { ok: true, payload }
        : no('SIGNATURE_MISMATCH', 'key', "The key is another issuer's than the token's");
    } catch (error) {
      const refused = refusal(error);
      // Issuers change keys: an unknown one is looked up once more, as often as the cool-down allows.
      if (refused.step === 'key' && !anew && params.jwks === undefined)
        return tryJwks(token, now, from, true);
      return refused;
    }
  };

  const judge = async (delivery: Delivery): Promise<Judged> => {
    const payloads: JWTPayload[] = [];
    const tokens = findTokens(scheme.at, delivery);
    if ('why' in tokens) return no('SIGNATURE_MISSING', 'presence', tokens.why);
    for (const token of tokens) {
      const tried =
        scheme.keys === 'secrets'
          ? await trySecrets(token, delivery.now)
          : await tryJwks(token, delivery.now, scheme.keys.jwks);
      if (!tried.ok) return tried;
      if (isFromTheFuture(tried.payload, delivery.now))
        return no('TIMESTAMP_OUTSIDE_WINDOW', 'time', "The token's iat is ahead of our clock");
      const wrong =
        checkClaims(scheme, tried.payload, context) ?? checkBinding(scheme, tried.payload, delivery, url);
      if (wrong !== null)
        return no('SIGNATURE_MISMATCH', 'claims', `The token's ${wrong} is not the one expected`);
      payloads.push(tried.payload);
    }
    return { ok: true, payloads };
  };

  if (scheme.items !== undefined) return createItemTokenVerifier(scheme.items, split, judge);
  return async (delivery): Promise<Verdict> => {
    const judged = await judge(delivery);
    return judged.ok ? { ok: true } : judged;
  };
};
