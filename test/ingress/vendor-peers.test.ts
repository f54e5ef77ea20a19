import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  sign as signWithKey,
  type X509Certificate,
} from 'node:crypto';
import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Signature } from '@hubspot/api-client';
import { EventWebhook } from '@sendgrid/eventwebhook';
import { verifyKey } from 'discord-interactions';
import { OAuth2Client } from 'google-auth-library';
import { Webhook as Svix } from 'svix';
import twilio from 'twilio';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createSource } from '../../src/ingress/create-source.ts';
import { receiveDelivery } from '../../src/ingress/receive-delivery.ts';
import { runVector, type Vector } from './run-vector.ts';

const require = createRequire(import.meta.url);
const load = (vendor: string): Vector[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'vectors', `${vendor}.json`), 'utf8'));
const now = 1_750_000_000;
const url = 'https://hooks.example/ingress/source';

const judge = async (
  vendor: string,
  given: Partial<Vector> & { headers: Record<string, string>; body: string },
) => {
  const { received } = await runVector(vendor, { title: '', secrets: [], url, now, expect: [], ...given });
  return received.kind === 'refused' ? received.code : received.kind;
};

describe('S21: what a vendor’s own SDK signs passes, and what we take it takes', () => {
  test('twilio signs forms and JSON', async () => {
    const params = { MessageSid: 'SM1', AccountSid: 'AC1', Body: 'é + ü & =', Empty: '' };
    const address = `${url}?foo=1&bar=a%20b`;
    const form = new URLSearchParams(params).toString();
    const signature = twilio.getExpectedTwilioSignature('token', address, params);
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature };
    const given = { secrets: ['token'], url: address, headers, body: form };
    expect(await judge('twilio', given)).toBe('accepted');
    expect(await judge('twilio', { ...given, body: `${form}&More=1` })).toBe('SIGNATURE_MISMATCH');

    const body = '{"CallSid":"CA1","CallStatus":"busy"}';
    const signed = `${url}?bodySHA256=${twilio.getExpectedBodyHash(body)}`;
    const json = {
      secrets: ['token'],
      url: signed,
      headers: {
        'content-type': 'application/json',
        'x-twilio-signature': twilio.getExpectedTwilioSignature('token', signed, {}),
      },
      body,
    };
    expect(twilio.validateRequestWithBody('token', json.headers['x-twilio-signature'], signed, body)).toBe(
      true,
    );
    expect(await judge('twilio', json)).toBe('accepted');
    expect(await judge('twilio', { ...json, body: `${body} ` })).toBe('SIGNATURE_MISMATCH');
  });

  test('a repeated form field is signed as twilio does', async () => {
    const signature = twilio.getExpectedTwilioSignature('token', url, {
      MediaUrl: ['b', 'a', 'b'],
      MessageSid: 'SM1',
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'x-twilio-signature': signature };
    const body = 'MessageSid=SM1&MediaUrl=b&MediaUrl=a&MediaUrl=b';
    expect(await judge('twilio', { secrets: ['token'], headers, body })).toBe('accepted');
  });

  test('discord-interactions and we take the same signature', async () => {
    const pair = generateKeyPairSync('ed25519');
    const key = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
    const body = '{"application_id":"1","event":{"type":"APPLICATION_AUTHORIZED","data":{}}}';
    for (const [text, expected] of [
      [String(now) + body, 'accepted'],
      [body, 'SIGNATURE_MISMATCH'],
    ] as const) {
      const signature = signWithKey(null, Buffer.from(text), pair.privateKey).toString('hex');
      const headers = { 'x-signature-ed25519': signature, 'x-signature-timestamp': String(now) };
      expect(await verifyKey(body, signature, String(now), key)).toBe(expected === 'accepted');
      expect(await judge('discord', { secrets: [key], headers, body })).toBe(expected);
    }
  });

  test('@sendgrid/eventwebhook and we take the same signature', async () => {
    const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
    const key = pair.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
    const body = '[{"event":"delivered","sg_event_id":"1"}]\r\n';
    const peer = new EventWebhook();
    for (const text of [String(now) + body, body]) {
      const signature = signWithKey('sha256', Buffer.from(text), pair.privateKey).toString('base64');
      const taken = peer.verifySignature(peer.convertPublicKeyToECDSA(key), body, signature, String(now));
      const headers = {
        'x-twilio-email-event-webhook-signature': signature,
        'x-twilio-email-event-webhook-timestamp': String(now),
      };
      expect(taken).toBe(text !== body);
      expect(await judge('sendgrid', { secrets: [key], headers, body })).toBe(
        taken ? 'accepted' : 'SIGNATURE_MISMATCH',
      );
    }
  });

  test('@hubspot/api-client signs version 3; versions 1 and 2 are refused unless asked for by name', async () => {
    const body = '[{"eventId":1,"subscriptionType":"contact.creation"}]';
    const options = { method: 'POST', clientSecret: 's', requestBody: body, url, timestamp: now * 1000 };
    const sign = (version: 'v1' | 'v2' | 'v3') =>
      Signature.getSignature('POST', version, { ...options, signature: '', signatureVersion: version });
    const v3 = { 'x-hubspot-signature-v3': sign('v3'), 'x-hubspot-request-timestamp': String(now * 1000) };
    expect(await judge('hubspot', { secrets: ['s'], headers: v3, body })).toBe('accepted');
    for (const version of ['v1', 'v2'] as const) {
      const headers = { 'x-hubspot-signature': sign(version), 'x-hubspot-signature-version': version };
      expect(await judge('hubspot', { secrets: ['s'], headers, body })).toBe('SIGNATURE_MISSING');
      expect(await judge('hubspot', { secrets: ['s'], params: { scheme: version }, headers, body })).toBe(
        'accepted',
      );
      const changed = { secrets: ['s'], params: { scheme: version }, headers, body: `${body} ` };
      expect(await judge('hubspot', changed)).toBe('SIGNATURE_MISMATCH');
    }
    await expect(
      judge('hubspot', { secrets: ['s'], params: { scheme: 'v4' }, headers: {}, body }),
    ).rejects.toThrow(/params.scheme v4 is none/);
  });

  test('hubspot: the escapes that HubSpot decodes before it signs', async () => {
    const body = '[]';
    const address = `${url}?to=a%40b%3a1&x=%20%26`;
    const signed = `POST${url}?to=a@b:1&x=%20%26${body}${now * 1000}`;
    const signature = createHmac('sha256', 's').update(signed).digest('base64');
    const headers = {
      'x-hubspot-signature-v3': signature,
      'x-hubspot-request-timestamp': String(now * 1000),
    };
    expect(await judge('hubspot', { secrets: ['s'], url: address, headers, body })).toBe('accepted');
  });

  test('svix signs what GitLab sends with a signing token', async () => {
    const secret = `whsec_${Buffer.alloc(32, 3).toString('base64')}`;
    const body = '{"object_kind":"push"}';
    const headers = {
      'webhook-id': 'm1',
      'webhook-timestamp': String(now),
      'webhook-signature': new Svix(secret).sign('m1', new Date(now * 1000), body),
    };
    expect(await judge('gitlab', { secrets: [secret], headers, body })).toBe('accepted');
    // A signature that is there and wrong is not made good by the token.
    const wrong = { ...headers, 'webhook-id': 'm2', 'x-gitlab-token': secret };
    expect(await judge('gitlab', { secrets: [secret], headers: wrong, body })).toBe('SIGNATURE_MISMATCH');
  });

  test('google-auth-library takes the token that we take', async () => {
    const [vector] = load('gmail');
    if (vector === undefined) throw new Error('there is no vector');
    const { keys } = JSON.parse(vector.params?.jwks ?? '{}');
    vi.useFakeTimers({ now: vector.now * 1000 });
    const ticket = await new OAuth2Client().verifySignedJwtWithCertsAsync(
      (vector.headers.Authorization ?? '').replace('Bearer ', ''),
      Object.fromEntries(
        keys.map((key: { kid: string }) => [
          key.kid,
          createPublicKey({ key, format: 'jwk' }).export({ format: 'pem', type: 'spki' }),
        ]),
      ),
      vector.params?.audience,
      ['https://accounts.google.com'],
    );
    expect(ticket.getPayload()?.email).toBe(vector.params?.service_account_email);
  });

  test('sns-validator takes the message that we take', async () => {
    const [vector] = load('aws-sns');
    if (vector === undefined) throw new Error('there is no vector');
    vi.spyOn(https, 'get').mockImplementation(((address: string, answer: (response: unknown) => void) => {
      const response = Object.assign(new EventEmitter(), { statusCode: 200, setEncoding: () => {} });
      queueMicrotask(() => {
        answer(response);
        response.emit('data', vector.certificates?.[address] ?? '');
        response.emit('end');
      });
      return new EventEmitter();
    }) as unknown as typeof https.get);
    const Validator = require('sns-validator');
    const taken = await new Promise((resolve) =>
      new Validator().validate(JSON.parse(vector.body), (error: unknown) => resolve(error ?? 'ok')),
    );
    expect(taken).toBe('ok');
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('aws-sns: a subscription', () => {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const arn = 'arn:aws:sns:eu-west-1:123456789012:docalpha';
  const confirm = 'https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=a:b&Token=t';
  const fields = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'] as const;

  const deliver = async (options: {
    topic?: string;
    SubscribeURL?: string;
    version?: '1' | '2' | '3';
    away?: boolean;
    forged?: boolean;
  }) => {
    const message = {
      ...{
        Type: 'SubscriptionConfirmation',
        MessageId: 'm1',
        TopicArn: arn,
        Token: 't',
        Message: 'You have chosen',
      },
      ...{ Timestamp: '2025-06-15T15:06:40.000Z', SignatureVersion: options.version ?? '2' },
      SubscribeURL: options.SubscribeURL ?? confirm,
      SigningCertURL: 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem',
    };
    const text = fields.map((name) => `${name}\n${message[name]}\n`).join('');
    const hash = message.SignatureVersion === '1' ? 'sha1' : 'sha256';
    const signature = signWithKey(hash, Buffer.from(options.forged ? 'x' : text), pair.privateKey);
    const raw = Buffer.from(JSON.stringify({ ...message, Signature: signature.toString('base64') }));
    const visited: string[] = [];
    const certificate = { publicKey: pair.publicKey, validTo: 'Jan 1 2040' } as X509Certificate;
    const source = createSource({ id: 'sns', type: 'vendor', vendor: 'aws-sns', pack: 'p' }, [], {
      params: options.topic === undefined ? {} : { topic_arn: options.topic },
      keys: {
        jwks: async () => ({ kind: 'away', why: '' }),
        certificate: async () => ({ kind: 'got', value: certificate }),
        visit: async (address) => {
          visited.push(address);
          return options.away ? { kind: 'away', why: '' } : { kind: 'got', value: true };
        },
      },
    });
    const request = { method: 'POST', query: '', headers: {}, raw, format: 'json', now: now * 1000 } as const;
    const received = await receiveDelivery(source, request, async () => {});
    return [received.kind === 'refused' ? received.code : received.kind, visited];
  };

  test('of our topic is confirmed, at any version that AWS signs', async () => {
    expect(await deliver({ topic: arn })).toEqual(['greeted', [confirm]]);
    expect(await deliver({ topic: `other ${arn}`, version: '1' })).toEqual(['greeted', [confirm]]);
    expect(await deliver({ topic: arn, away: true })).toEqual(['CONFIRMATION_FAILED', [confirm]]);
  });

  test('fetches nothing for a message that is not proven, of another topic, or of a URL elsewhere', async () => {
    expect(await deliver({ topic: arn, forged: true })).toEqual(['SIGNATURE_MISMATCH', []]);
    expect(await deliver({ topic: arn, version: '3' })).toEqual(['SIGNATURE_MISMATCH', []]);
    expect(await deliver({ topic: `${arn}x` })).toEqual(['SIGNATURE_MISMATCH', []]);
    for (const SubscribeURL of [
      'http://169.254.169.254/',
      'https://sns.eu-west-1.amazonaws.com.example.org/?a',
      'https://example.org/',
    ])
      expect(await deliver({ topic: arn, SubscribeURL })).toEqual(['HANDSHAKE_REFUSED', []]);
  });

  test('without a configured topic it is left to the operator', async () => {
    expect(await deliver({})).toEqual(['accepted', []]);
  });
});
