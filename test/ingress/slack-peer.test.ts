import { isValidSlackRequest } from '@slack/bolt';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signDelivery } from '../../src/ingress/sign-delivery.ts';

const settings = { id: 'slack', type: 'vendor' as const, vendor: 'slack', pack: 'chat' };
const secret = '8f742231b10e8888abcd99yyyzzz85a5';

/** What Slack's own framework says of a delivery that we signed. */
const boltTakes = (body: string, signedBody: string, signedAt: number, now: number): boolean => {
  const { headers } = signDelivery(settings, secret, {
    id: 'Ev1',
    raw: Buffer.from(signedBody),
    now: signedAt,
  });
  return isValidSlackRequest({
    signingSecret: secret,
    body,
    headers: {
      'x-slack-signature': headers['x-slack-signature'] ?? '',
      'x-slack-request-timestamp': Number(headers['x-slack-request-timestamp']),
    },
    nowMilliseconds: now,
  });
};

describe('S21: Slack’s own framework judges what we sign', () => {
  const now = 1_750_000_000_000;

  it('takes any body that we signed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (body) => {
        expect(boltTakes(body, body, now, now)).toBe(true);
      }),
    );
  });

  it('refuses another body, and a signature of long ago', () => {
    expect(boltTakes('{"a":2}', '{"a":1}', now, now)).toBe(false);
    expect(boltTakes('{}', '{}', now - 301_000, now)).toBe(false);
  });
});
