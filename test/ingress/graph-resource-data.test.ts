import {
  constants,
  createCipheriv,
  createHmac,
  generateKeyPairSync,
  type KeyObject,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import { exportJWK, SignJWT } from 'jose';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CodedError } from '../../src/domain/errors.ts';
import { createSource } from '../../src/ingress/create-source.ts';
import type { RemoteKeys } from '../../src/ingress/remote-keys/remote-keys.ts';
import { type Ingress, startIngress } from './start-ingress.ts';

const now = 1_750_000_000_000;
const state = 'a-client-state';
const app = '8e460676-ae3f-4b1e-8790-ee0fb5d6148f';
const publisher = '0bf30f3b-4a52-48df-9a82-234910c4a086';
const tenant = '84bd8158-6d4d-4958-8b9f-9d6445542f95';
const other = 'aaaabbbb-0000-4000-8000-e8c5959970a3';
const consumers = '9188040d-6c67-4c5b-b112-36a304b66dad';
const v1 = (id: string) => `https://sts.windows.net/${id}/`;
const v2 = (id: string) => `https://login.microsoftonline.com/${id}/v2.0`;

const rsa = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();
const ours = rsa();
const older = rsa();
const microsoft = rsa();
const forConsumers = rsa();
const stranger = rsa();

type Claims = Record<string, unknown>;
const claimsOf = (id: string): Claims => ({ aud: app, iss: v1(id), tid: id, appid: publisher, ver: '1.0' });
const token = (claims: Claims, { key = microsoft.privateKey, kid = 'm1', exp = now / 1000 + 3600 } = {}) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid })
    .setIssuedAt(now / 1000 - 60)
    .setExpirationTime(exp)
    .sign(key);

/** As Microsoft Graph encrypts: an own key for each item, its first bytes the IV, a signature over the ciphertext. */
const seal = (text: string, { publicKey, id }: { publicKey: KeyObject; id: string }) => {
  const key = randomBytes(32);
  const cipher = createCipheriv('aes-256-cbc', key, key.subarray(0, 16));
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return {
    data: data.toString('base64'),
    dataSignature: createHmac('sha256', key).update(data).digest('base64'),
    dataKey: publicEncrypt(
      { key: publicKey, padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha1' },
      key,
    ).toString('base64'),
    encryptionCertificateId: id,
    encryptionCertificateThumbprint: '07293748CC064953A3052FB978C735FB89E61C3D',
  };
};

const certificate = { publicKey: ours.publicKey, id: 'MySelfSignedCert/1' };
const resource = '{ "id":"1565293727947", "n":9007199254740993.10,\n"body":{"content":"käse \\u00e9 /"} }';
const item = (id: string, more: Record<string, unknown> = {}) => ({
  ...{ id, subscriptionId: 's', changeType: 'created', tenantId: tenant, clientState: state },
  ...more,
});
const rich = (id: string, more: Record<string, unknown> = {}) =>
  item(id, { encryptedContent: seal(resource, certificate), ...more });

const params = {
  app_id: `00000000-0000-0000-0000-000000000000 ${app}`,
  'private_key.MySelfSignedCert/1': pem(ours.privateKey),
  'private_key.before': pem(older.privateKey),
};
const settings = { id: 'graph', type: 'vendor', vendor: 'microsoft-graph', pack: 'chat' } as const;

let jwks: Awaited<ReturnType<RemoteKeys['jwks']>>;
let asked: string[];
let ingress: Ingress;
const keys: RemoteKeys = {
  jwks: async (url) => {
    asked.push(url);
    return jwks;
  },
  certificate: async () => ({ kind: 'refused', why: 'none' }),
  visit: async () => ({ kind: 'refused', why: 'none' }),
};
const start = async (given: Record<string, string>) => {
  await ingress?.close();
  ingress = await startIngress([{ settings, secrets: [state], context: { params: given, keys } }], { now });
};
const post = (body: unknown) =>
  ingress.post('graph', { 'content-type': 'application/json' }, JSON.stringify(body));
const deliver = async (value: readonly unknown[], validationTokens?: unknown) => {
  const answer = await post({ value, validationTokens });
  const said = await answer.text();
  if (answer.status === 202) expect(said).toBe('');
  return answer.status;
};
const taken = () =>
  ingress.enqueued.map(({ event, refusal }) => (refusal === undefined ? event : `${event} dropped`));

let published: readonly Record<string, unknown>[];
beforeAll(async () => {
  published = [
    { ...(await exportJWK(microsoft.publicKey)), kid: 'm1', issuer: v2('{tenantid}') },
    { ...(await exportJWK(forConsumers.publicKey)), kid: 'c1', issuer: v2(consumers) },
  ];
});
beforeEach(async () => {
  jwks = { kind: 'got', value: { keys: [...published] } };
  asked = [];
  await start(params);
});
afterEach(async () => {
  const said = ingress.lines.join('');
  for (const secret of [state, '1565293727947', 'encryptedContent', 'BEGIN'])
    expect(said).not.toContain(secret);
});

describe('S21: resource data of Microsoft Graph', () => {
  test('G9: the item as it was sent, in which the decrypted resource stands, character by character', async () => {
    const sealed = JSON.stringify(seal(resource, certificate));
    const around = (content: string) =>
      `{"id":"1", "changeType" : "created","clientState":"${state}","encryptedContent": ${content} ,"n":1.0,"tenantId":"${tenant.toUpperCase()}"}`;
    const body = `{"validationTokens":["${await token(claimsOf(tenant))}"],"value":[${around(sealed)}]}`;
    const answer = await ingress.post('graph', { 'content-type': 'application/json' }, body);
    expect([answer.status, await answer.text()]).toEqual([202, '']);
    expect(ingress.enqueued.map(({ ref, data }) => [ref, data])).toEqual([['new_item', around(resource)]]);
    expect(asked).toEqual(['https://login.microsoftonline.com/common/discovery/v2.0/keys']);
  });

  test('tokens of version 1 and 2, for several tenants; an item of a tenant without token is left out alone', async () => {
    const second = { ...claimsOf(other), iss: v2(other), appid: undefined, azp: publisher, ver: '2.0' };
    const tokens = [await token(claimsOf(tenant)), await token(second)];
    const value = [rich('1'), rich('2', { tenantId: other }), rich('3', { tenantId: consumers }), item('4')];
    expect(await deliver(value, tokens)).toBe(202);
    expect(taken()).toEqual(['1', '2', '4']);
    expect(ingress.facts.at(-1)).toMatchObject({ accepted: 3, unproven: 1, unmapped: 0 });
  });

  test('the key of a certificate is chosen by its id, the one before as well', async () => {
    const before = seal(resource, { publicKey: older.publicKey, id: 'before' });
    await deliver([rich('1'), rich('2', { encryptedContent: before })], [await token(claimsOf(tenant))]);
    expect(taken()).toEqual(['1', '2']);
    expect(ingress.enqueued.every(({ data }) => data.includes(resource))).toBe(true);
  });

  test('where no item has resource data no token is looked at, and no key is asked for', async () => {
    expect(await deliver([item('1'), item('2', { encryptedContent: null })], ['no token'])).toBe(202);
    expect(taken()).toEqual(['1', '2']);
    expect(asked).toEqual([]);
    await start({});
    expect(await deliver([item('1')])).toBe(202);
    expect(taken()).toEqual(['1']);
  });

  test('who does not know the clientState makes us ask nobody', async () => {
    await deliver([rich('1', { clientState: 'guess' })], [await token(claimsOf(tenant))]);
    expect([taken(), asked]).toEqual([[], []]);
  });

  test('a token that is not good, or none: no item with resource data is taken; the others are', async () => {
    const good = claimsOf(tenant);
    const bad: Record<string, unknown> = {
      'none at all': undefined,
      'no list': await token(good),
      'an empty list': [],
      'no token': ['x.y.z'],
      'another app': [await token({ ...good, aud: other })],
      'no app': [await token({ ...good, aud: undefined })],
      'another publisher': [await token({ ...good, appid: other })],
      'no publisher': [await token({ ...good, appid: undefined })],
      'two publishers': [await token({ ...good, azp: other })],
      'another issuer': [await token({ ...good, iss: 'https://sts.windows.net.example/x/' })],
      "another tenant's issuer": [await token({ ...good, iss: v1(other) })],
      'no tenant': [await token({ ...good, tid: undefined })],
      expired: [await token(good, { exp: now / 1000 - 61 })],
      'another key': [await token(good, { key: stranger.privateKey })],
      'an unknown key': [await token(good, { key: stranger.privateKey, kid: 's' })],
      'a key for consumers': [await token(good, { key: forConsumers.privateKey, kid: 'c1' })],
      'one of two': [await token(good), await token({ ...good, aud: other })],
    };
    for (const [what, tokens] of Object.entries(bad)) {
      const before = ingress.enqueued.length;
      expect([what, await deliver([rich('1'), rich('2')], tokens)]).toEqual([what, 202]);
      expect([what, ingress.facts.at(-1)?.code]).toEqual([
        what,
        expect.stringMatching(/^(SIGNATURE_|TIMESTAMP_)/),
      ]);
      expect([what, await deliver([rich('1'), item('2')], tokens)]).toEqual([what, 202]);
      expect([what, ingress.facts.at(-1)?.unproven, taken().slice(before)]).toEqual([what, 1, ['2']]);
    }
  });

  test('with the key server away it is asked to come again, whole', async () => {
    jwks = { kind: 'away', why: 'it does not answer' };
    expect(await deliver([rich('1'), item('2')], [await token(claimsOf(tenant))])).toBe(503);
    expect(taken()).toEqual([]);
  });

  test('G6: content that can not be opened drops its item alone, visibly and without payload, never as a 5xx', async () => {
    const whole = seal(resource, certificate);
    const flip = (text: string) => (text.startsWith('A') ? 'B' : 'A') + text.slice(1);
    const closed: Record<string, unknown> = {
      'no key for it': { ...whole, encryptionCertificateId: 'unknown' },
      'another key': { ...whole, encryptionCertificateId: 'before' },
      'a changed key': { ...whole, dataKey: flip(whole.dataKey) },
      'a key that is none': { ...whole, dataKey: 'x' },
      'changed data': { ...whole, data: flip(whole.data) },
      'cut data': { ...whole, data: whole.data.slice(0, -24) },
      'another signature': { ...whole, dataSignature: flip(whole.dataSignature) },
      'no signature': { ...whole, dataSignature: undefined },
      'no JSON': seal('1565293727947 is no JSON}', certificate),
      'too deep': seal('['.repeat(200) + ']'.repeat(200), certificate),
      'no object': 'x',
      'an empty object': {},
      'a list': [whole],
      'a prototype': JSON.parse('{"__proto__":{"data":"x"}}'),
    };
    const names = Object.keys(closed);
    const value = [
      rich('first'),
      ...names.map((name) => rich(name, { encryptedContent: closed[name] })),
      rich('last'),
    ];
    expect(await deliver(value, [await token(claimsOf(tenant))])).toBe(202);
    expect(taken()).toEqual(['first', ...names.map((name) => `${name} dropped`), 'last']);
    for (const { data, refusal, accounts, ref } of ingress.enqueued.slice(1, -1)) {
      expect([ref, data, accounts]).toEqual(['new_item', 'null', ['subscription:s', `tenant:${tenant}`]]);
      expect(refusal).toMatchObject({ reason: 'announcement_invalid', rule: 'open-sealed' });
      expect(refusal?.detail).toMatch(/content|private key/);
    }
    expect(ingress.facts.at(-1)).toMatchObject({ accepted: names.length + 2, unmapped: names.length });
  });

  test('a source without app and keys, or without keys, drops such items as visibly', async () => {
    for (const given of [{}, { app_id: app }]) {
      await start(given);
      await deliver([rich('1'), item('2')], [await token(claimsOf(tenant))]);
      expect(taken()).toEqual(['1 dropped', '2']);
      expect(ingress.enqueued[0]?.refusal?.detail).toBe(
        'No private key is configured for its certificate MySelfSignedCert/1',
      );
    }
  });

  test('faults of the configuration are said at start, by name', () => {
    const make = (given: Record<string, string>) => () =>
      createSource(settings, [state], { params: given, keys });
    const { app_id: _left, ...noApp } = params;
    expect(make(noApp)).toThrow(/Source graph: params\.private_key\.\S+ needs params\.app_id beside it/);
    expect(make({ app_id: app, private_key: 'x' })).toThrow(/has no param private_key/);
    expect(make({ app_id: app, 'private_key.': 'x' })).toThrow(/has no param private_key\./);
    const unusable = [
      'x',
      pem(generateKeyPairSync('ed25519').privateKey),
      pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey),
      ours.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      ours.privateKey
        .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'p' })
        .toString(),
    ];
    for (const value of unusable) {
      const broken = make({ app_id: app, 'private_key.old': value });
      expect(broken).toThrow(CodedError);
      expect(broken).toThrow(/Source graph: params\.private_key\.old is no RSA private key/);
    }
  });
});

describe('what tells one notification of Microsoft Graph from the next', () => {
  const hashes = () => ingress.enqueued.map(({ eventHash }) => eventHash);
  const bare = (more: Record<string, unknown>) => ({ subscriptionId: 's', clientState: state, ...more });

  test('its id, else what it is about with its etag: a repeated one is the same', async () => {
    const etag = (tag: string) =>
      bare({ changeType: 'updated', resource: 'r', resourceData: { '@odata.etag': tag } });
    for (const value of [[item('1')], [item('1')], [etag('W/1')], [etag('W/1')], [etag('W/2')]])
      await deliver(value);
    const [first, again, tagged, tagAgain, changed] = hashes();
    expect([first === again, tagged === tagAgain, tagged === changed]).toEqual([true, true, false]);
  });

  test('without either, each is one of its own: neither a second update nor a lost subscription is taken for the first', async () => {
    const update = bare({ changeType: 'updated', resource: 'presence' });
    const lifecycle = (lifecycleEvent: string) => bare({ lifecycleEvent });
    for (const value of [
      [update],
      [update],
      [lifecycle('reauthorizationRequired')],
      [lifecycle('subscriptionRemoved')],
      [lifecycle('missed')],
      [lifecycle('missed')],
    ])
      await deliver(value);
    expect(new Set(hashes()).size).toBe(6);
  });
});
