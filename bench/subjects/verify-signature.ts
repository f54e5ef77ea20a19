import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const toleranceSeconds = 300;

/** The Standard Webhooks check as the specification has it, for the subjects that are not ours. */
export const verifySignature = (key: Buffer, headers: IncomingHttpHeaders, body: Buffer): boolean => {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') return false;
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds)) return false;
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
  return signatures.split(' ').some((each) => {
    const [version, encoded = ''] = each.split(',');
    const given = Buffer.from(encoded, 'base64');
    return version === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
};
