import type { FastifyRequest } from 'fastify';
import type { ErrorCode } from '../domain/errors.ts';
import { type BodyFormat, bodyFormat } from './body-format.ts';
import { type ContentCoding, contentCoding } from './content-coding.ts';
import type { Gate } from './gate.ts';
import type { Source } from './source.ts';

/** How the body of a request that may come in is to be read, or why it may not. */
export type Head =
  | { kind: 'open'; format: BodyFormat; coding: ContentCoding }
  | {
      kind: 'refused';
      code: ErrorCode;
      detail?: string | undefined;
      headers?: Readonly<Record<string, string>>;
    };

/** Up to here a body that is too large is let run out, so that its sender reads why; beyond, the connection is cut. */
const drained = 32 * 1024 * 1024;

const refuse = (code: ErrorCode, detail?: string, headers: Record<string, string> = {}): Head => ({
  kind: 'refused',
  code,
  detail,
  headers,
});

const queryOf = (url: string): string => {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start);
};

const isOpenHandshake = (source: Source, { method, headers, url }: FastifyRequest): boolean =>
  source.greet.stages.has('open-head') &&
  source.greet.matches('open-head', method, {
    headers,
    query: queryOf(url),
    body: undefined,
    item: undefined,
  });

/** Whether only the body can tell that a request is a handshake, which a paused source answers as well. */
const greetsLater = ({ greet: { stages } }: Source): boolean =>
  stages.has('open-body') || stages.has('proven-head') || stages.has('proven-body');

/**
 * Everything that the head of a request to a known source decides, before a byte of its body is read: who calls, whether
 * anything is taken now, and whether the body is of a kind and size that the source takes.
 */
export const judgeHead = (source: Source, gate: Gate, request: FastifyRequest, isStopping: boolean): Head => {
  const { method, headers } = request;
  if (gate.admitsPeer !== null && !gate.admitsPeer(request.ip ?? '')) return refuse('NETWORK_REFUSED');
  if (!source.methods.has(method))
    return refuse('METHOD_NOT_ALLOWED', undefined, { allow: [...source.methods].join(', ') });
  if (isStopping) return refuse('SHUTTING_DOWN', undefined, { connection: 'close' });
  // A handshake has no body that we read, whatever it calls it (Microsoft Graph: text/plain).
  if (isOpenHandshake(source, request)) return { kind: 'open', format: 'json', coding: 'identity' };
  if (gate.paused && !greetsLater(source)) return refuse('SOURCE_PAUSED');
  const coding = contentCoding(headers['content-encoding']);
  // RFC 7694: what we would take instead.
  if (coding === null)
    return refuse('CONTENT_ENCODING_UNSUPPORTED', undefined, {
      'accept-encoding': 'gzip, deflate, identity',
    });
  const format = bodyFormat(headers['content-type'], source.takes);
  if (format === null) return refuse('CONTENT_TYPE_UNSUPPORTED');
  const announced = Number(headers['content-length'] ?? 0);
  if (announced > gate.bodyLimit)
    return refuse('BODY_TOO_LARGE', undefined, announced > drained ? { connection: 'close' } : {});
  return { kind: 'open', format, coding };
};
