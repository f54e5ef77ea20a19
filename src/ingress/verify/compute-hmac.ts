import { createHmac, type KeyObject } from 'node:crypto';
import type { HmacScheme } from './hmac-scheme.ts';
import type { Headers } from './verdict.ts';

/** The digest over the scheme's parts; null where a signed header is missing. */
export const computeHmac = (
  scheme: HmacScheme,
  key: KeyObject,
  message: { headers: Headers; timestamp: string; raw: Buffer },
): Buffer | null => {
  const hmac = createHmac(scheme.algorithm, key);
  for (const part of scheme.signed) {
    if (part === 'body') hmac.update(message.raw);
    else if (part === 'timestamp') hmac.update(message.timestamp);
    else if ('literal' in part) hmac.update(part.literal);
    else {
      const value = message.headers[part.header];
      if (typeof value !== 'string') return null;
      // Node hands headers out as Latin-1; this restores the very bytes that were sent.
      hmac.update(value, 'latin1');
    }
  }
  return hmac.digest();
};
