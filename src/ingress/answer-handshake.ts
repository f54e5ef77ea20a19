import { readPlace } from './read-place.ts';
import type { Handshake } from './vendors/profile.ts';
import type { Headers } from './verify/verdict.ts';

export type Greeting = { status: number; body: string };

/**
 * The answer where a verified delivery is a handshake or ping, else null. Called once without the body, before it is
 * parsed, for what the headers say, and once with it.
 */
export const answerHandshake = (
  handshakes: readonly Handshake[],
  headers: Headers,
  body?: { value: unknown },
): Greeting | null => {
  for (const { where, is, answer } of handshakes) {
    if ('json' in where === (body === undefined)) continue;
    if (readPlace(where, headers, body?.value) !== is) continue;
    if ('literal' in answer.body) return { status: answer.status, body: answer.body.literal };
    const text = readPlace(answer.body, headers, body?.value);
    // A challenge of another shape is none of this vendor's; it goes on and is mapped like any event.
    if (typeof text === 'string') return { status: answer.status, body: text };
  }
  return null;
};
