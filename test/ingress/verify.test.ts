import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import Stripe from 'stripe';
import { describe, expect, test } from 'vitest';
import { readBody } from '../../src/ingress/read-body.ts';
import { schemeOf } from '../../src/ingress/scheme-of.ts';
import type { SourceSettings } from '../../src/ingress/source.ts';
import { github } from '../../src/ingress/vendors/github.ts';
import { slack } from '../../src/ingress/vendors/slack.ts';
import { stripe } from '../../src/ingress/vendors/stripe.ts';
import { createHmacVerifier } from '../../src/ingress/verify/create-hmac-verifier.ts';
import { readKey } from '../../src/ingress/verify/read-key.ts';
import type { HmacScheme, Proof } from '../../src/ingress/verify/scheme.ts';
import { signHmac } from '../../src/ingress/verify/sign-hmac.ts';
import { standardWebhooks } from '../../src/ingress/verify/standard-webhooks.ts';
import type { Headers, Verdict } from '../../src/ingress/verify/verdict.ts';

const hmacOf = (proof: Proof): HmacScheme => {
  if (proof.kind !== 'hmac') throw new Error('the proof is no HMAC');
  return proof;
};

const verifier = (scheme: HmacScheme, ...secrets: string[]) =>
  createHmacVerifier(
    scheme,
    secrets.map((secret) => {
      const read = readKey(scheme.key, secret);
      if ('fault' in read) throw new Error(read.fault);
      return read.key;
    }),
  );

const judge = (verify: ReturnType<typeof verifier>, headers: Headers, raw: Buffer, at: number): Verdict => {
  const body = () => readBody('json', raw);
  const verdict = verify({ method: 'POST', query: '', headers, raw, now: at, body });
  if (verdict instanceof Promise) throw new Error('an HMAC is judged at once');
  return verdict;
};

const code = (
  scheme: HmacScheme,
  secrets: string[],
  headers: Headers,
  body: string | Buffer,
  now: number,
) => {
  const verdict = judge(verifier(scheme, ...secrets), headers, Buffer.from(body), now * 1000);
  return verdict.ok ? 'ok' : verdict.code;
};

const hmacHook = (signature: Extract<SourceSettings, { type: 'webhook' }>['signature']) =>
  hmacOf(schemeOf({ id: 'hook', type: 'webhook', pack: 'mail', signature }));

const now = 1_750_000_000;
const whsec = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;

/** Each scheme with two secrets of its form, for the vectors that all share. */
const schemes: [string, HmacScheme, string, string][] = [
  ['Standard Webhooks', standardWebhooks, whsec(1), whsec(2)],
  ['github', hmacOf(github.proof), "It's a Secret to Everybody", 'another'],
  ['slack', hmacOf(slack.proof), '8f742231b10e8888abcd99yyyzzz85a5', 'another'],
  ['stripe', hmacOf(stripe.proof), 'whsec_one', 'whsec_two'],
  [
    'sha1 hex',
    hmacHook({ header: 'X-Sig', algorithm: 'sha1', encoding: 'hex', prefix: 'sha1=' }),
    'one',
    'two',
  ],
  [
    'sha512 base64 with time',
    hmacHook({
      header: 'X-Sig',
      algorithm: 'sha512',
      encoding: 'base64',
      prefix: '',
      timestamp_header: 'X-Time',
    }),
    'one',
    'two',
  ],
];

describe('S21: signed ingress, published and peer vectors', () => {
  test('Standard Webhooks: signed by its own library, and its published sample', () => {
    const body = '{"type":"invoice.paid","note":"ä🚀"}';
    const signature = new Webhook(whsec(7)).sign('msg_1', new Date(now * 1000), body);
    const headers = {
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(now),
      'webhook-signature': signature,
    };
    expect(code(standardWebhooks, [whsec(7)], headers, body, now)).toBe('ok');
    expect(code(standardWebhooks, [whsec(7).slice(6)], headers, body, now)).toBe('ok');
    const sample = {
      'webhook-id': 'msg_loFOjxBNrRLzqYUf',
      'webhook-timestamp': '1731705121',
      'webhook-signature': 'v1,rAvfW3dJ/X/qxhsaXPOyyCGmRKsaKWcsNccKXlIktD0=',
    };
    const sent = '{"event_type":"ping","data":{"success":true}}';
    expect(code(standardWebhooks, ['whsec_plJ3nmyCDGBKInavdOK15jsl'], sample, sent, 1_731_705_121)).toBe(
      'ok',
    );
  });

  test('Standard Webhooks: other versions are skipped, never downgraded to', () => {
    const sign = (secret: string) => new Webhook(secret).sign('m', new Date(now * 1000), '{}');
    const [good, other] = [sign(whsec(1)), sign(whsec(2))];
    const judge = (signature: string) =>
      code(
        standardWebhooks,
        [whsec(1)],
        { 'webhook-id': 'm', 'webhook-timestamp': String(now), 'webhook-signature': signature },
        '{}',
        now,
      );
    expect(judge(`v1a,${good.slice(3)} v2,xx ${good}`)).toBe('ok');
    expect(judge(`${good} ${other}`)).toBe('ok');
    expect(judge(`${other} ${good}`)).toBe('ok');
    expect(judge(`v1a,${good.slice(3)}`)).toBe('SIGNATURE_MISSING');
    expect(judge(good.slice(3))).toBe('SIGNATURE_MISSING');
    expect(judge(`v2,${good.slice(3)}`)).toBe('SIGNATURE_MISSING');
    expect(judge(`v1,${Buffer.from(good.slice(3), 'base64').toString('hex')}`)).toBe('SIGNATURE_MISMATCH');
  });

  test('GitHub: published sample; SHA-1 is no fall-back', () => {
    const secret = "It's a Secret to Everybody";
    const digest = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17';
    const judge = (headers: Headers) => code(hmacOf(github.proof), [secret], headers, 'Hello, World!', now);
    expect(judge({ 'x-hub-signature-256': `sha256=${digest}` })).toBe('ok');
    expect(judge({ 'x-hub-signature-256': `sha256=${digest.toUpperCase()}` })).toBe('ok');
    const sha1 = createHmac('sha1', secret).update('Hello, World!').digest('hex');
    expect(judge({ 'x-hub-signature': `sha1=${sha1}` })).toBe('SIGNATURE_MISSING');
    expect(judge({ 'x-hub-signature-256': `sha1=${sha1}` })).toBe('SIGNATURE_MISSING');
    expect(judge({ 'x-hub-signature-256': `sha256=${sha1}` })).toBe('SIGNATURE_MISMATCH');
  });

  test('Slack: published sample, and a tokens_revoked', () => {
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c';
    const headers = {
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    };
    expect(
      code(hmacOf(slack.proof), ['8f742231b10e8888abcd99yyyzzz85a5'], headers, body, 1_531_420_618),
    ).toBe('ok');
    const revoked =
      '{"token":"x","team_id":"TDOCALPHA","api_app_id":"A1","event":{"type":"tokens_revoked","tokens":{"oauth":["U1"],"bot":[]}},"type":"event_callback","event_id":"Evdocalpha","event_time":1750000000}';
    const signed = {
      'x-slack-request-timestamp': '1750000000',
      'x-slack-signature': 'v0=27f73620f0feb57e27d3bd07ef3f59a7917f56cb7d7b6d1dd5862ce84dc25a0a',
    };
    expect(code(hmacOf(slack.proof), ['7937ae49202fee46b8b4831a6f90ce70'], signed, revoked, now)).toBe('ok');
  });

  test('Stripe: signed by its SDK; the whole whsec_ text is the key; v0 is ignored; one time only', () => {
    const payload = '{\n  "id": "evt_1",\n  "object": "event"\n}';
    const sign = (secret: string) =>
      Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp: now });
    const judge = (header: string) =>
      code(hmacOf(stripe.proof), ['whsec_one'], { 'stripe-signature': header }, payload, now);
    const [good, other] = [sign('whsec_one'), sign('whsec_two').split(',')[1] ?? ''];
    const [time = '', signature = ''] = good.split(',');
    expect(judge(good)).toBe('ok');
    expect(judge(sign('one'))).toBe('SIGNATURE_MISMATCH');
    expect(judge(`${time},${other},${signature},v0=abc,x`)).toBe('ok');
    expect(judge(`${time},${signature},${other}`)).toBe('ok');
    expect(judge(`${time},${signature.replace('v1', 'v0')}`)).toBe('SIGNATURE_MISSING');
    expect(judge(`t=${now - 1},${good}`)).toBe('SIGNATURE_MISSING');
    expect(judge(signature)).toBe('SIGNATURE_MISSING');
  });
});

describe.each(schemes)('S21: %s refuses what was not signed so', (_name, scheme, secret, other) => {
  const body = Buffer.from('{"a":"\u2028 é 🚀 \\/ \\u00e9"}\r\n');
  const header = 'header' in scheme.signature ? scheme.signature.header : '';
  const sign = (raw = body, key = secret, at = now) =>
    signHmac(scheme, key, {
      ...{ method: 'POST', url: '', headers: { 'webhook-id': 'msg_1' }, raw, now: at * 1000 },
    }).headers;
  const judged = (headers: Headers, raw = body, at = now, secrets = [secret]) =>
    code(scheme, secrets, headers, raw, at);

  test('what its own signer made passes, with a current and with a previous secret', () => {
    expect(judged(sign())).toBe('ok');
    expect(judged(sign(), body, now, [other, secret])).toBe('ok');
    expect(judged(sign(), body, now, [secret, other])).toBe('ok');
  });

  test('another secret, a changed byte, a cut or lengthened body', () => {
    expect(judged(sign(body, other))).toBe('SIGNATURE_MISMATCH');
    const changed = Buffer.from(body);
    changed[3] = 0x41;
    for (const raw of [
      changed,
      body.subarray(1),
      body.subarray(0, -2),
      Buffer.concat([body, Buffer.from('\n')]),
      Buffer.alloc(0),
    ])
      expect(judged(sign(), raw)).toBe('SIGNATURE_MISMATCH');
  });

  test('missing, empty, repeated, short, long, non-hex, non-ASCII signatures are a plain no', () => {
    const signed = sign();
    const good = signed[header] ?? '';
    const bad = (value: string | string[] | undefined) => judged({ ...signed, [header]: value } as Headers);
    expect(bad(undefined)).toBe('SIGNATURE_MISSING');
    expect(bad('')).toBe('SIGNATURE_MISSING');
    expect(bad([good, good])).toBe('SIGNATURE_MISSING');
    expect(bad(`${good}, ${good}`)).toBe('SIGNATURE_MISSING');
    for (const value of [
      good.slice(0, -1),
      `${good}a`,
      `${good.slice(0, -1)}é`,
      `${good.slice(0, -2)}zz`,
      ` ${good.slice(0, -1)}`,
      good.slice(0, -8),
    ])
      expect(bad(value)).toMatch(/^SIGNATURE_(MISMATCH|MISSING)$/);
  });

  if (scheme.timestamp !== undefined)
    test('the window is 300 s on both sides and says so', () => {
      for (const [away, expected] of [
        [300, 'ok'],
        [-300, 'ok'],
        [301, 'TIMESTAMP_OUTSIDE_WINDOW'],
        [-301, 'TIMESTAMP_OUTSIDE_WINDOW'],
      ] as const)
        expect(judged(sign(body, secret, now + away))).toBe(expected);
      // Milliseconds where seconds are asked lie far in the future.
      expect(judged(sign(body, secret, now * 1000))).not.toBe('ok');
    });

  if (scheme.timestamp !== undefined)
    test('a time that is missing or no number is no signature', () => {
      const at = scheme.timestamp;
      const name = at !== undefined && 'header' in at ? at.header : header;
      for (const value of [
        undefined,
        '',
        'now',
        `-${now}`,
        `${now}.5`,
        `0x1`,
        `${now}, ${now}`,
        '9'.repeat(400),
      ])
        expect(judged({ ...sign(), [name]: value } as Headers)).toMatch(/^SIGNATURE_MISSING$/);
    });

  test('never throws, and never says yes, whatever the headers and bytes are', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.string(), { maxLength: 3 }),
      fc.constantFrom(
        `${now}`,
        `v1,${'A'.repeat(43)}=`,
        `sha256=${'0'.repeat(64)}`,
        `t=${now},v1=${'f'.repeat(64)}`,
        undefined,
      ),
    );
    const names = fc.constantFrom(
      header,
      'webhook-id',
      'webhook-timestamp',
      'x-slack-request-timestamp',
      'x-time',
    );
    const verify = verifier(scheme, secret);
    fc.assert(
      fc.property(fc.dictionary(names, value), fc.uint8Array(), (headers, bytes) => {
        expect(judge(verify, headers as Headers, Buffer.from(bytes), now * 1000).ok).toBe(false);
      }),
    );
  });
});

describe('secrets', () => {
  test.each(['', '   ', '\n', 'secret\n', ' secret'])('%j is no key', (secret) => {
    expect(readKey('text', secret)).toHaveProperty('fault');
    expect(readKey('base64', secret)).toHaveProperty('fault');
  });

  test.each(['whsec_', 'whsec_not base64!', 'my-secret', 'whsec_a', 'whsec_ab=c', 'whsec_====='])(
    '%s is no Standard Webhooks key',
    (secret) => {
      expect(readKey('base64', secret)).toHaveProperty('fault');
    },
  );
});
