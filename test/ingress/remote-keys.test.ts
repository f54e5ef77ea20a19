import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createSource } from '../../src/ingress/create-source.ts';
import { receiveDelivery } from '../../src/ingress/receive-delivery.ts';
import { createRemoteKeys } from '../../src/ingress/remote-keys/create-remote-keys.ts';
import type { Fetch } from '../../src/ingress/remote-keys/fetch-bounded.ts';
import { runVector } from './run-vector.ts';

/** A key server of our own on HTTP; what asks it believes that it speaks to https://keys.example. */
let server: Server;
let answer: { status: number; body: string; location?: string };
let asked: string[];
let away = false;
let now = 1_750_000_000_000;
const url = 'https://keys.example/certs';

const toServer: Fetch = (address, options) => {
  if (away) return Promise.reject(new Error('connect ECONNREFUSED'));
  const { port } = server.address() as AddressInfo;
  return fetch(address.replace(/^https:\/\/[^/]+/, `http://127.0.0.1:${port}`), options);
};
const make = () => createRemoteKeys({ fetch: toServer, clock: () => now });

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(answer.status, answer.location === undefined ? {} : { location: answer.location });
    response.end(answer.body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterAll(() => new Promise((done) => server.close(done)));
beforeEach(() => {
  asked = [];
  away = false;
  answer = { status: 200, body: '{"keys":[{"kty":"RSA","kid":"a"}]}' };
});

describe('keys of other parties', () => {
  test('are asked for once, by many at the same time, and kept for an hour', async () => {
    const keys = make();
    const all = await Promise.all(Array.from({ length: 20 }, () => keys.jwks(url)));
    expect(all.every(({ kind }) => kind === 'got')).toBe(true);
    expect(asked).toHaveLength(1);
    now += 3_599_000;
    await keys.jwks(url);
    expect(asked).toHaveLength(1);
    now += 2_000;
    await keys.jwks(url);
    expect(asked).toHaveLength(2);
  });

  test('an unknown key id asks again, but not more often than the cool-down', async () => {
    const keys = make();
    await keys.jwks(url);
    for (let count = 0; count < 50; count += 1) await keys.jwks(url, true);
    expect(asked).toHaveLength(1);
    now += 31_000;
    await keys.jwks(url, true);
    await keys.jwks(url, true);
    expect(asked).toHaveLength(2);
  });

  test('an outage is `away`, is not asked about in a loop, and does not take away what was good for a day', async () => {
    const keys = make();
    away = true;
    expect(await keys.jwks(url)).toMatchObject({ kind: 'away' });
    away = false;
    expect(await keys.jwks(url)).toMatchObject({ kind: 'away' });
    now += 31_000;
    expect(await keys.jwks(url)).toMatchObject({ kind: 'got' });
    now += 3_601_000;
    answer = { status: 503, body: '' };
    expect(await keys.jwks(url)).toMatchObject({ kind: 'got' });
    now += 25 * 3_600_000;
    expect(await keys.jwks(url)).toMatchObject({ kind: 'away' });
  });

  test.each([
    ['a redirect', { status: 302, body: '', location: 'https://elsewhere.example/' }, 'away'],
    ['a key that is not there', { status: 404, body: '' }, 'refused'],
    ['no JSON', { status: 200, body: '<html>' }, 'away'],
    ['another shape', { status: 200, body: '{"keys":"x"}' }, 'away'],
    ['more than 256 KiB', { status: 200, body: ' '.repeat(300_000) }, 'refused'],
  ])('%s is no key', async (_what, given, kind) => {
    answer = given;
    expect(await make().jwks(url)).toMatchObject({ kind });
    expect(asked).toHaveLength(1);
  });

  test('only https is asked, and a flood of made-up names makes a bounded number of requests', async () => {
    const keys = make();
    expect(await keys.jwks('http://keys.example/certs')).toMatchObject({ kind: 'refused' });
    expect(asked).toEqual([]);
    answer = { status: 404, body: '' };
    for (let count = 0; count < 100; count += 1) await keys.certificate(`https://keys.example/${count}.pem`);
    expect(asked.length).toBeLessThanOrEqual(20);
  });
});

describe('S21: a JWT of Google', () => {
  const audience = 'https://hooks.example/ingress/gmail';
  const email = 'push@project.iam.gserviceaccount.com';
  const body = JSON.stringify({
    message: {
      data: Buffer.from('{"emailAddress":"a@example.com","historyId":7}').toString('base64'),
      messageId: 'm1',
    },
    subscription: 's',
  });

  const sign = async (claims: Record<string, unknown>, kid = 'k1') => {
    const pair = await generateKeyPair('RS256', { extractable: true });
    const jwk = { ...(await exportJWK(pair.publicKey)), kid, alg: 'RS256', use: 'sig' };
    const token = await new SignJWT({ email, email_verified: true, ...claims })
      .setProtectedHeader({ alg: 'RS256', kid })
      .setIssuer('https://accounts.google.com')
      .setAudience(audience)
      .setIssuedAt(now / 1000)
      .setExpirationTime(now / 1000 + 3600)
      .sign(pair.privateKey);
    return { token, set: JSON.stringify({ keys: [jwk] }) };
  };
  const source = () =>
    createSource({ id: 'gmail', type: 'vendor', vendor: 'gmail', pack: 'mail' }, [], {
      params: { service_account_email: email },
      url: audience,
      keys: make(),
    });
  const deliver = async (to: ReturnType<typeof source>, token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const received = await receiveDelivery(
      to,
      { method: 'POST', query: '', headers, raw: Buffer.from(body), format: 'json', now },
      async () => {},
    );
    return received.kind === 'refused' ? received.code : received.kind;
  };

  test('is taken with the keys that are fetched; a changed key is found by asking once more', async () => {
    const first = await sign({});
    const gmail = source();
    answer = { status: 200, body: first.set };
    expect(await deliver(gmail, first.token)).toBe('accepted');
    const second = await sign({}, 'k2');
    answer = { status: 200, body: second.set };
    expect(await deliver(gmail, second.token)).toBe('SIGNATURE_MISMATCH');
    now += 31_000;
    const third = await sign({}, 'k3');
    answer = { status: 200, body: third.set };
    expect(await deliver(gmail, third.token)).toBe('accepted');
    expect(asked).toHaveLength(2);
  });

  test('an outage of the key server is 503 KEYS_UNAVAILABLE, not 401', async () => {
    const { token } = await sign({});
    away = true;
    expect(await deliver(source(), token)).toBe('KEYS_UNAVAILABLE');
  });

  test('for another account, one that is not verified, or another audience is refused', async () => {
    for (const claims of [
      { email: 'stranger@project.iam.gserviceaccount.com' },
      { email_verified: false },
      { email_verified: 'true' },
      { email: undefined },
    ]) {
      const { token, set } = await sign(claims);
      answer = { status: 200, body: set };
      expect(await deliver(source(), token)).toBe('SIGNATURE_MISMATCH');
    }
  });

  test('the algorithm is never the message’s: none, and HS256 with the public key, are refused', async () => {
    const { token, set } = await sign({});
    answer = { status: 200, body: set };
    const [, claims = ''] = token.split('.');
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${claims}.`;
    expect(await deliver(source(), none)).toBe('SIGNATURE_MISMATCH');
    const hs = await new SignJWT(JSON.parse(Buffer.from(claims, 'base64url').toString()))
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .sign(new TextEncoder().encode(set));
    expect(await deliver(source(), hs)).toBe('SIGNATURE_MISMATCH');
  });
});

describe('S21: aws-sns', () => {
  test.each([
    'https://sns.eu-west-1.amazonaws.com.example.org/x.pem',
    'https://sns.eu-west-1.amazonaws.com@example.org/x.pem',
    'https://example.org/sns.eu-west-1.amazonaws.com/x.pem',
    'http://sns.eu-west-1.amazonaws.com/x.pem',
    'https://sns.eu-west-1.amazonaws.com:8443/x.pem',
    'https://sns.eu-west-1.amazonaws.com/../x.pem?y',
    'file:///etc/passwd.pem',
    'https://xsns.eu-west-1.amazonaws.com/x.pem',
  ])('a certificate at %s is never asked for', async (SigningCertURL) => {
    const message = { Type: 'Notification', MessageId: 'm', TopicArn: 't', Message: 'x', Timestamp: 'now' };
    const { received } = await runVector('aws-sns', {
      title: '',
      secrets: [],
      url: 'https://hooks.example/in',
      headers: {},
      body: JSON.stringify({ ...message, SignatureVersion: '2', Signature: 'AAAA', SigningCertURL }),
      now: 1_750_000_000,
      expect: [],
    });
    expect(received).toMatchObject({
      kind: 'refused',
      detail: "The certificate is not on the vendor's host",
    });
  });
});
