import type { Announcement } from '../domain/announcement.ts';
import type { ErrorCode } from '../domain/errors.ts';
import type { BodyFormat } from './body-format.ts';
import type { Greeting, Stage } from './create-greeter.ts';
import { type Body, type BodyFault, readBody } from './read-body.ts';
import type { Source } from './source.ts';
import type { Delivery, Headers } from './verify/verdict.ts';

export type Refused = {
  kind: 'refused';
  code: ErrorCode;
  detail: string;
  faults?: readonly string[];
  /** Seconds, where we know when it may come again. */
  retryAfter?: number;
};

export type Received =
  | Refused
  | Extract<Greeting, { kind: 'greeted' }>
  | { kind: 'accepted'; delivery: string; accepted: number; unmapped: number; unproven: number };

/** Asked of a delivery that has proven itself and is no handshake: why it is not taken now, or null. */
export type Admit = () => Refused | null | Promise<Refused | null>;

type Request = {
  method: string;
  /** From its `?` on. */
  query: string;
  headers: Headers;
  /** Unpacked, where it came packed. */
  raw: Buffer;
  /** As it came, where that is something else. */
  packed?: Buffer | null;
  format: BodyFormat;
  /** Milliseconds since 1970. */
  now: number;
};

const noBody: Body = { text: 'null', value: null };

/**
 * What becomes of one delivery whose source, method, content type and size have passed, in this order: answer what needs
 * no proof, verify the bytes, answer a handshake, parse, admit, map, enqueue. Returns `accepted` only after `enqueue` has (G1).
 *
 * @throws CodedError QUEUE_FULL or QUEUE_UNAVAILABLE, from `enqueue`
 */
export const receiveDelivery = async (
  source: Source,
  { method, query, headers, raw, packed = null, format, now }: Request,
  enqueue: (announcements: readonly Announcement[]) => Promise<void>,
  admit: Admit | null = null,
): Promise<Received> => {
  let read: Body | BodyFault | null = null;
  const body = () => {
    if (source.read !== null) read ??= source.read(headers, raw);
    read ??= raw.length === 0 && source.takes.includes('empty') ? noBody : readBody(format, raw);
    return read;
  };
  const delivery: Delivery = { method, query, headers, raw, now, body };

  const greet = (stage: Stage): Greeting | Promise<Greeting> | null => {
    if (!source.greet.stages.has(stage)) return null;
    const sent = stage.endsWith('body') ? body() : null;
    const value = sent !== null && 'value' in sent ? sent.value : undefined;
    return source.greet.at(stage, method, { headers, query, body: value, item: value });
  };

  const open = greet('open-head') ?? greet('open-body');
  if (open !== null) return open;
  if (method !== 'POST')
    return {
      kind: 'refused',
      code: 'METHOD_NOT_ALLOWED',
      detail: `This is no handshake that we know; deliver with POST`,
    };

  const judged = source.verify(delivery);
  let verdict = judged instanceof Promise ? await judged : judged;
  // Most senders sign, then pack; some sign what they packed. Either way it is the sender's key over the sender's bytes.
  if (!verdict.ok && verdict.code === 'SIGNATURE_MISMATCH' && packed !== null)
    verdict = await source.verify({ ...delivery, raw: packed });
  if (!verdict.ok) return { kind: 'refused', code: verdict.code, detail: verdict.why };

  const ping = greet('proven-head');
  if (ping !== null) return ping;

  const parsed = body();
  if ('code' in parsed) return { kind: 'refused', ...parsed };

  const challenge = greet('proven-body');
  if (challenge !== null) return challenge;

  const asked = admit === null ? null : admit();
  const withheld = asked instanceof Promise ? await asked : asked;
  if (withheld !== null) return withheld;

  const { admits } = verdict;
  const mapping = source.map({
    headers,
    query,
    raw,
    body: parsed,
    receivedAt: new Date(now).toISOString(),
    admits,
  });
  const mapped = mapping instanceof Promise ? await mapping : mapping;
  if (!mapped.ok) return { kind: 'refused', ...mapped };

  const { announcements, unproven = 0 } = mapped;
  if (announcements.length > 0) await enqueue(announcements);
  const unmapped = announcements.reduce((count, { refusal }) => count + (refusal === undefined ? 0 : 1), 0);
  return { kind: 'accepted', delivery: mapped.delivery, accepted: announcements.length, unmapped, unproven };
};
