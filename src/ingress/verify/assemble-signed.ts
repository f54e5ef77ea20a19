import { readPath } from '../read-path.ts';
import { asId } from '../read-place.ts';
import type { SignedPart } from './scheme.ts';
import { sortForm } from './sort-form.ts';
import { urlForm } from './url-form.ts';
import type { Delivery } from './verdict.ts';

/** What is signed, in pieces. Text is Latin-1, as Node hands headers out: it restores the very bytes that were sent. */
export type SignedPieces = readonly (string | Buffer)[];

/** What of a request a signature may cover. */
export type Signable = Pick<Delivery, 'headers' | 'raw' | 'body' | 'method'> & {
  url: string;
  timestamp: string;
};

const readPart = (part: Exclude<SignedPart, 'body'>, from: Signable): string | Buffer | null => {
  if (part === 'timestamp') return from.timestamp;
  if (part === 'method') return from.method;
  if (part === 'formSorted') {
    const sorted = sortForm(from.raw);
    return sorted === null ? null : Buffer.from(sorted);
  }
  if ('literal' in part) return part.literal;
  if ('header' in part) {
    const value = from.headers[part.header];
    return typeof value === 'string' && value !== '' ? value : null;
  }
  if ('url' in part) return urlForm(part.url, from.url);
  const body = from.body();
  const value = 'value' in body ? asId(readPath(body.value, part.json)) : null;
  return value === null ? null : Buffer.from(value);
};

/**
 * The bytes that a scheme signs; null where a part of them is not there. Neighbouring texts are one piece: every piece
 * is a call out of JavaScript.
 */
export const assembleSigned = (parts: readonly SignedPart[], from: Signable): SignedPieces | null => {
  const pieces: (string | Buffer)[] = [];
  let text = '';
  for (const part of parts) {
    const piece = part === 'body' ? from.raw : readPart(part, from);
    if (piece === null) return null;
    if (typeof piece === 'string') text += piece;
    else {
      if (text !== '') pieces.push(text);
      pieces.push(piece);
      text = '';
    }
  }
  if (text !== '') pieces.push(text);
  return pieces;
};
