import { createHmac } from 'node:crypto';
import '@shopify/shopify-api/adapters/node';
import { LinearWebhookClient } from '@linear/sdk/webhooks';
import { ApiVersion, LogSeverity, shopifyApi } from '@shopify/shopify-api';
import { createQueryStringHash, encodeSymmetric, fromMethodAndUrl, SymmetricAlgorithm } from 'atlassian-jwt';
import { Resend } from 'resend';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as Svix } from 'svix';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createEventMatcher } from '../../src/ingress/create-event-matcher.ts';
import { makeSample } from '../../src/ingress/make-sample.ts';
import { signDelivery } from '../../src/ingress/sign-delivery.ts';
import type { SourceSettings } from '../../src/ingress/source.ts';
import { findProfile } from '../../src/ingress/vendors/find-profile.ts';
import { runVector, type Vector } from './run-vector.ts';
import { sign } from './sign-as-vendor.ts';

const now = 1_750_000_000;
const url = 'https://hooks.example/ingress/source';
const whsec = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
const refs = { '*': 'new_item' };

const judge = async (
  vendor: string,
  given: Partial<Vector> & { headers: Record<string, string>; body: string },
) => {
  const { received } = await runVector(vendor, { title: '', secrets: [], url, now, expect: [], ...given });
  return received.kind === 'refused' ? received.code : received.kind;
};

const atThatTime = () => vi.useFakeTimers({ toFake: ['Date'], now: now * 1000 });
afterEach(() => {
  vi.useRealTimers();
});

describe('S21: what a vendor’s own SDK signs passes, and what we sign it takes', () => {
  const body = '{"type":"user.created","data":{"name":"ä🚀"}}';

  test('svix signs; svix and resend take what we sign', async () => {
    atThatTime();
    const signature = new Svix(whsec(1)).sign('msg_1', new Date(now * 1000), body);
    const headers = { 'svix-id': 'msg_1', 'svix-timestamp': String(now), 'svix-signature': signature };
    for (const vendor of ['svix', 'resend']) {
      const given = { secrets: [whsec(2), whsec(1)], headers, body, refs };
      expect(await judge(vendor, given)).toBe('accepted');
      expect(await judge(vendor, { ...given, headers: { ...headers, 'svix-id': 'msg_2' } })).toBe(
        'SIGNATURE_MISMATCH',
      );
    }
    const ours = sign('resend', whsec(3), { body, headers: { 'svix-id': 'msg_3' } });
    expect(new Svix(whsec(3)).verify(body, { ...ours.headers })).toEqual(JSON.parse(body));
    const [id, timestamp, given] = ['svix-id', 'svix-timestamp', 'svix-signature'].map(
      (name) => ours.headers[name] ?? '',
    );
    const taken = new Resend('re_none').webhooks.verify({
      payload: body,
      headers: { id: id ?? '', timestamp: timestamp ?? '', signature: given ?? '' },
      webhookSecret: whsec(3),
    });
    expect(taken).toEqual(JSON.parse(body));
  });

  test('standardwebhooks signs for standard-webhooks and for svix, and a foreign id beside it is not believed', async () => {
    const signature = new StandardWebhook(whsec(1)).sign('msg_1', new Date(now * 1000), body);
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(now),
      'webhook-signature': signature,
    };
    for (const vendor of ['standard-webhooks', 'svix'])
      expect(await judge(vendor, { secrets: [whsec(1)], headers, body, refs })).toBe('accepted');
    // An id that nothing signs would make one delivery many events.
    expect(
      await judge('svix', { secrets: [whsec(1)], headers: { ...headers, 'svix-id': 'other' }, body, refs }),
    ).toBe('SIGNATURE_MISSING');
  });

  test('a public key is never a shared secret, whatever the sender calls it', async () => {
    const key = Buffer.alloc(32, 5).toString('base64');
    const signature = new StandardWebhook(key).sign('msg_1', new Date(now * 1000), body);
    const given = {
      headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': String(now), 'webhook-signature': signature },
      ...{ body, refs },
    };
    await expect(judge('standard-webhooks', { ...given, secrets: [`whpk_${key}`] })).rejects.toThrow(
      /not base64/,
    );
    expect(await judge('standard-webhooks-ed25519', { ...given, secrets: [`whpk_${key}`] })).toBe(
      'SIGNATURE_MISSING',
    );
    expect(
      await judge('standard-webhooks-ed25519', {
        ...given,
        secrets: [`whpk_${key}`],
        headers: { ...given.headers, 'webhook-signature': signature.replace('v1,', 'v1a,') },
      }),
    ).toBe('SIGNATURE_MISMATCH');
  });

  const shopify = shopifyApi({
    apiKey: 'key',
    apiSecretKey: 'client secret',
    apiVersion: ApiVersion.July26,
    hostName: 'hooks.example',
    isEmbeddedApp: false,
    logger: { level: LogSeverity.Error, log: () => undefined },
  });

  test.each([
    [
      'webhooks',
      {
        'X-Shopify-Topic': 'orders/create',
        'X-Shopify-Shop-Domain': 'example.myshopify.com',
        'X-Shopify-API-Version': '2026-07',
        'X-Shopify-Webhook-Id': 'w-1',
        'X-Shopify-Event-Id': 'e-1',
      },
      '{"id":820982911946154508,"note":"ä🚀"}',
    ],
    [
      'Events',
      {
        'shopify-hmac-sha256': 'to be signed',
        'shopify-topic': 'Product',
        'shopify-action': 'create',
        'shopify-handle': 'h',
        'shopify-resource-id': 'gid://shopify/Product/1',
        'shopify-triggered-at': '2025-06-15T15:06:40.000Z',
        'shopify-shop-domain': 'example.myshopify.com',
        'shopify-api-version': '2026-10',
        'shopify-webhook-id': 'w-1',
        'shopify-event-id': 'e-1',
      },
      '{"topic":"Product","action":"create","handle":"h"}',
    ],
  ])('shopify-api takes what we sign: %s', async (_family, headers, raw) => {
    const signed = sign('shopify', 'client secret', { body: raw, headers });
    const validate = (rawBody: string) =>
      shopify.webhooks.validate({
        rawBody,
        rawRequest: { method: 'POST', url: '/ingress/source', headers: signed.headers },
        rawResponse: {},
      });
    expect(await validate(raw)).toMatchObject({ valid: true });
    expect(await validate(`${raw} `)).toMatchObject({ valid: false });
    expect(
      await judge('shopify', { ...signed, headers: signed.headers, body: raw, secrets: ['client secret'] }),
    ).toBe('accepted');
  });

  test('a wrong signature of Shopify’s newer family is not made good by one of the older', async () => {
    const raw = '{"id":1}';
    const good = createHmac('sha256', 's').update(raw).digest('base64');
    const headers = { 'x-shopify-topic': 'orders/create', 'x-shopify-hmac-sha256': good };
    const given = { secrets: ['s'], body: raw };
    expect(await judge('shopify', { ...given, headers })).toBe('accepted');
    const wrong = Buffer.alloc(32).toString('base64');
    expect(await judge('shopify', { ...given, headers: { ...headers, 'shopify-hmac-sha256': wrong } })).toBe(
      'SIGNATURE_MISMATCH',
    );
  });

  test('linear takes what we sign, and judges its time as we do', async () => {
    atThatTime();
    const client = new LinearWebhookClient('lin_wh_secret');
    const at = (ms: number) =>
      `{"action":"update","type":"Issue","data":{"t":"ä🚀"},"webhookTimestamp":${ms}}`;
    for (const [ms, outcome] of [
      [now * 1000, 'accepted'],
      [now * 1000 - 59_000, 'accepted'],
      [now * 1000 - 120_000, 'TIMESTAMP_OUTSIDE_WINDOW'],
      [now * 1000 + 120_000, 'TIMESTAMP_OUTSIDE_WINDOW'],
    ] as const) {
      const raw = at(ms);
      const signed = sign('linear', 'lin_wh_secret', { body: raw });
      const theirs = () => client.verify(Buffer.from(raw), signed.headers['linear-signature'] ?? '', ms);
      if (outcome === 'accepted') expect(theirs()).toBe(true);
      else expect(theirs).toThrow();
      expect(await judge('linear', { ...signed, headers: signed.headers, body: raw })).toBe(outcome);
    }
  });
});

describe('S21: tokens of Atlassian apps', () => {
  const secret = 'shared secret of a tenant';
  const body = '{"webhookEvent":"jira:issue_created","timestamp":1750000000000}';
  const token = (
    claims: Record<string, unknown>,
    { method = 'POST', at = url, key = secret }: { method?: string; at?: string; key?: string } = {},
  ) => {
    const request = fromMethodAndUrl(method, at);
    const qsh = createQueryStringHash(request, false, 'https://hooks.example');
    return encodeSymmetric({ iss: 'client', iat: now, exp: now + 180, qsh, ...claims }, key);
  };
  const connect = (jwt: string, at = url, prefix = 'JWT ') =>
    judge('jira-connect', {
      secrets: [secret],
      url: at,
      headers: { authorization: `${prefix}${jwt}` },
      body,
    });

  test('atlassian-jwt signs method, path and query, in whatever order and escapes', async () => {
    for (const query of [
      '',
      '?b=1&a=2',
      '?x=2&x=1',
      '?a=b%20c',
      '?a=b+c',
      '?a=%2A~!',
      '?a',
      '?q=1&q=1%2C2',
    ]) {
      const at = `${url}${query}`;
      expect([query, await connect(token({}, { at }), at)]).toEqual([query, 'accepted']);
    }
  });

  test('a token for another request, tenant, time or of no request at all is refused', async () => {
    expect(await connect(token({}, { method: 'GET' }))).toBe('SIGNATURE_MISMATCH');
    expect(await connect(token({}, { at: 'https://hooks.example/page' }))).toBe('SIGNATURE_MISMATCH');
    expect(await connect(token({}, { at: `${url}?a=1` }), `${url}?a=2`)).toBe('SIGNATURE_MISMATCH');
    expect(await connect(token({}, { key: 'of another tenant' }))).toBe('SIGNATURE_MISMATCH');
    // Atlassian hands such tokens to browsers.
    expect(await connect(token({ qsh: 'context-qsh' }))).toBe('SIGNATURE_MISMATCH');
    expect(await connect(token({ qsh: undefined }))).toBe('SIGNATURE_MISMATCH');
    expect(await connect(token({ exp: now - 120 }))).toBe('TIMESTAMP_OUTSIDE_WINDOW');
    expect(await connect(token({ exp: undefined }))).not.toBe('accepted');
    expect(await connect(token({ iat: now - 3600, exp: now + 3600 }))).toBe('TIMESTAMP_OUTSIDE_WINDOW');
    expect(await connect(token({}), url, 'Bearer ')).toBe('SIGNATURE_MISSING');
  });

  test('no other algorithm than the one expected', async () => {
    const qsh = createQueryStringHash(fromMethodAndUrl('POST', url), false, 'https://hooks.example');
    const claims = { iss: 'client', iat: now, exp: now + 180, qsh };
    expect(await connect(encodeSymmetric(claims, secret, SymmetricAlgorithm.HS512))).toBe(
      'SIGNATURE_MISMATCH',
    );
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    expect(await connect(`${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.`)).toBe('SIGNATURE_MISMATCH');
  });

  test('the three kinds of Jira webhooks take nothing of one another', async () => {
    const hub = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const proofs = {
      jira: { 'x-hub-signature': hub },
      'jira-connect': { authorization: `JWT ${token({})}` },
      'jira-dynamic': { authorization: `Bearer ${token({ qsh: undefined })}` },
    };
    for (const vendor of Object.keys(proofs))
      for (const [other, headers] of Object.entries(proofs))
        expect([vendor, other, await judge(vendor, { secrets: [secret], headers, body })]).toEqual([
          vendor,
          other,
          vendor === other ? 'accepted' : 'SIGNATURE_MISSING',
        ]);
  });
});

const mine = [
  ...['airtable', 'bitbucket', 'calcom', 'intercom', 'jira', 'linear', 'pagerduty', 'resend', 'sentry'],
  ...['shopify', 'standard-webhooks', 'svix', 'vercel', 'zendesk'],
];

describe('every sample, signed as `send` signs it, is taken', () => {
  test.each(
    mine.flatMap((vendor) =>
      Object.keys(findProfile(vendor).samples).map((event) => [vendor, event] as const),
    ),
  )('%s %s', async (vendor, event) => {
    const settings: SourceSettings = { id: 'source', type: 'vendor', vendor, pack: 'pack' };
    const profile = findProfile(vendor);
    const keys: Readonly<Record<string, string>> = {
      site: 'https://mine.atlassian.net',
      organizer: 'ada@example.org',
    };
    const [key] = profile.accounts.map((one) => one.key);
    const account = key === undefined ? undefined : `${key}:${keys[key] ?? '4711'}`;
    const secret = /svix|resend|standard|airtable/.test(vendor) ? whsec(4) : 'a secret';
    const made = makeSample(settings, { event, id: 'sent-1', account, now: now * 1000 });
    const signed = signDelivery(settings, secret, { id: 'sent-1', now: now * 1000, url, ...made });
    const { received, announcements } = await runVector(vendor, {
      ...{ title: '', secrets: [secret], url, now, expect: [] },
      headers: signed.headers,
      body: signed.raw,
      ...(Object.keys(profile.refs).length === 0 ? { refs } : {}),
    });
    if (/ping/i.test(event)) {
      expect(received.kind).toBe('greeted');
      return;
    }
    expect(received).toMatchObject({ kind: 'accepted', accepted: 1 });
    const [announcement] = announcements;
    expect(announcement?.refusal).toBeUndefined();
    if (Object.keys(profile.refs).length > 0)
      expect(announcement?.ref).toBe(createEventMatcher(profile.refs)([event]));
    if (account !== undefined) expect(announcement?.accounts).toContain(account);
  });
});
