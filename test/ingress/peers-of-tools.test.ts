import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validateSignature } from '@line/bot-sdk';
import { signWebhookPayload, verifyWebhookSignature } from '@notionhq/client';
import { WebhooksManager } from 'box-node-sdk/managers/webhooks';
import fc from 'fast-check';
import { WebhooksHelper } from 'square';
import Stripe from 'stripe';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runVector, type Vector } from './run-vector.ts';
import { sign } from './sign-as-vendor.ts';

const now = 1_750_000_000;
const url = 'https://hooks.example/ingress/source';
const box = { 'box-signature-version': '1', 'box-signature-algorithm': 'HmacSHA256' };

const load = (vendor: string): Vector[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'vectors', `${vendor}.json`), 'utf8'));
const outcome = async (vendor: string, vector: Omit<Vector, 'body'> & { body: string | Buffer }) => {
  const { received } = await runVector(vendor, vector);
  return received.kind === 'refused' ? received.code : received.kind;
};
/** Bodies that trip what decodes, escapes or writes JSON anew. */
const bodies = fc
  .record({ id: fc.string({ minLength: 1 }), text: fc.string({ unit: 'grapheme' }), path: fc.webUrl() })
  .map((value) => JSON.stringify(value));

// Box's SDK takes the time from the clock.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: now * 1000 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('S21: what a vendor’s own SDK signs passes, and what we sign it takes', () => {
  test('@notionhq/client', async () => {
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const signature = await signWebhookPayload({ body, verificationToken: 'secret_one' });
        const vector = { title: '', secrets: ['secret_one'], url, now, expect: [], body };
        const headers = { 'x-notion-signature': signature };
        expect(await outcome('notion', { ...vector, headers })).toBe('accepted');
        expect(await outcome('notion', { ...vector, headers, body: `${body} ` })).toBe('SIGNATURE_MISMATCH');
        expect(
          await verifyWebhookSignature({
            body,
            signature: sign('notion', 'secret_one', { body }).headers['x-notion-signature'],
            verificationToken: 'secret_one',
          }),
        ).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  test('@line/bot-sdk', () => {
    fc.assert(
      fc.property(bodies, (body) => {
        const { headers } = sign('line', 'channel', { body });
        expect(validateSignature(body, 'channel', String(headers['x-line-signature']))).toBe(true);
      }),
      { numRuns: 30 },
    );
    for (const { body, secrets, headers } of load('line'))
      expect(validateSignature(body, String(secrets[0]), String(headers['x-line-signature']))).toBe(true);
  });

  test('square', async () => {
    const judge = (
      requestBody: string,
      headers: Record<string, string>,
      key: string,
      notificationUrl = url,
    ) =>
      WebhooksHelper.verifySignature({
        requestBody,
        signatureHeader: String(headers['x-square-hmacsha256-signature']),
        signatureKey: key,
        notificationUrl,
      });
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const { headers } = sign('square', 'key', { body });
        expect(await judge(body, headers, 'key')).toBe(true);
        expect(await judge(body, headers, 'key', `${url}/`)).toBe(false);
      }),
      { numRuns: 30 },
    );
    for (const vector of load('square'))
      expect(await judge(vector.body, vector.headers, String(vector.secrets[0]), vector.url)).toBe(true);
  });

  test('box-node-sdk: both keys, and both of its forms of the body', async () => {
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        const signed = sign('box', 'primary', { body, headers: box });
        expect(await WebhooksManager.validateMessage(body, signed.headers, 'primary')).toBe(true);
        expect(await WebhooksManager.validateMessage(body, signed.headers, 'other')).toBe(false);
      }),
      { numRuns: 30 },
    );
    const [vector] = load('box');
    expect(vector).toBeDefined();
    if (vector === undefined) return;
    const headers = Object.fromEntries(
      Object.entries(vector.headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
    const [primary = '', secondaryKey = ''] = vector.secrets;
    expect(await WebhooksManager.validateMessage(vector.body, headers, primary, { secondaryKey })).toBe(true);
    expect(await WebhooksManager.validateMessage(vector.body, headers, 'x', { secondaryKey })).toBe(true);
  });

  test('box-node-sdk: a body that Box signed in its escaped form', async () => {
    const body = '{"id":"1","trigger":"FILE.UPLOADED","source":{"name":"résumé 🚀/x"}}';
    const escaped =
      '{"id":"1","trigger":"FILE.UPLOADED","source":{"name":"r\\u00e9sum\\u00e9 \\ud83d\\ude80\\/x"}}';
    const time = '2025-06-15T15:06:40Z';
    const headers = {
      ...box,
      'box-delivery-timestamp': time,
      'box-signature-primary': createHmac('sha256', 'primary')
        .update(escaped + time)
        .digest('base64'),
    };
    expect(await WebhooksManager.validateMessage(body, headers, 'primary')).toBe(true);
    const vector = { title: '', secrets: ['primary'], url, now, expect: [], headers, body };
    expect(await outcome('box', vector)).toBe('accepted');
    expect(await outcome('box', { ...vector, body: body.replace('résumé', 'resumé') })).toBe(
      'SIGNATURE_MISMATCH',
    );
  });

  test('stripe, whose scheme Calendly has under another name', async () => {
    const body = '{"event":"invitee.created","payload":{"uri":"é"}}';
    const header = Stripe.webhooks.generateTestHeaderString({
      payload: body,
      secret: 'signing-key',
      timestamp: now,
    });
    const headers = { 'calendly-webhook-signature': header };
    expect(
      await outcome('calendly', { title: '', secrets: ['signing-key'], url, now, expect: [], headers, body }),
    ).toBe('accepted');
  });
});
