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
  // Every update is a call out of JavaScript: what stands beside the body goes in one. Latin-1, as Node hands headers
  // out, restores the very bytes that were sent; literals and times are ASCII.
  let text = '';
  for (const part of scheme.signed) {
    if (part === 'body') {
      if (text !== '') hmac.update(text, 'latin1');
      hmac.update(message.raw);
      text = '';
    } else if (part === 'timestamp') text += message.timestamp;
    else if ('literal' in part) text += part.literal;
    else {
      const value = message.headers[part.header];
      if (typeof value !== 'string') return null;
      text += value;
    }
  }
  if (text !== '') hmac.update(text, 'latin1');
  return hmac.digest();
};
