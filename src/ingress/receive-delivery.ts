import type { Announcement } from '../domain/announcement.ts';
import type { ErrorCode } from '../domain/errors.ts';
import { answerHandshake } from './answer-handshake.ts';
import type { BodyFormat } from './body-format.ts';
import { readBody } from './read-body.ts';
import type { Source } from './source.ts';
import type { Headers } from './verify/verdict.ts';

export type Received =
  | { kind: 'refused'; code: ErrorCode; detail: string; faults?: readonly string[] }
  | { kind: 'greeted'; status: number; body: string }
  | { kind: 'accepted'; delivery: string; accepted: number; unmapped: number };

/**
 * What becomes of one delivery whose source, method, content type and size have passed, in this order: verify the
 * bytes, answer a handshake, parse, map, enqueue. Returns `accepted` only after `enqueue` has (G1).
 *
 * @throws CodedError QUEUE_FULL or QUEUE_UNAVAILABLE, from `enqueue`
 */
export const receiveDelivery = async (
  source: Source,
  delivery: { headers: Headers; raw: Buffer; format: BodyFormat; now: number },
  enqueue: (announcements: readonly Announcement[]) => Promise<void>,
): Promise<Received> => {
  const { headers, raw, format, now } = delivery;

  const verdict = source.verify(headers, raw, now);
  if (!verdict.ok) return { kind: 'refused', code: verdict.code, detail: verdict.why };

  const ping = answerHandshake(source.handshakes, headers);
  if (ping !== null) return { kind: 'greeted', ...ping };

  const body = readBody(format, raw);
  if ('code' in body) return { kind: 'refused', ...body };

  const challenge = answerHandshake(source.handshakes, headers, body);
  if (challenge !== null) return { kind: 'greeted', ...challenge };

  const mapped = source.map({ headers, raw, body, receivedAt: new Date(now).toISOString() });
  if (!mapped.ok) return { kind: 'refused', ...mapped };

  const { announcements } = mapped;
  if (announcements.length > 0) await enqueue(announcements);
  const unmapped = announcements.reduce((count, { refusal }) => count + (refusal === undefined ? 0 : 1), 0);
  return { kind: 'accepted', delivery: mapped.delivery, accepted: announcements.length, unmapped };
};
