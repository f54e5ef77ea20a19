import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Announcement } from '../domain/announcement.ts';
import { CodedError, type ErrorCode } from '../domain/errors.ts';
import { type BodyFormat, bodyFormat } from './body-format.ts';
import { type Received, receiveDelivery } from './receive-delivery.ts';
import { replyError } from './reply-error.ts';
import type { Source } from './source.ts';

/** What is known of one delivery when it is answered: its log line, and what metrics count. Nothing of its payload. */
export type DeliveryFact = {
  /** Null where the URL names no source of ours: what a stranger writes there is no label. */
  source: string | null;
  /** Null where it was refused or wanted only an answer. */
  delivery: string | null;
  status: number;
  /** Catalogue code of a refusal. */
  code: string | null;
  accepted: number;
  unmapped: number;
  /** Items of a batch that did not prove themselves. */
  unproven: number;
  bytes: number;
  /** From the request's head to the answer. */
  ms: number;
};

type Options = {
  sources: ReadonlyMap<string, Source>;
  /** Resolves once the announcements are in the queue; rejects with QUEUE_FULL or QUEUE_UNAVAILABLE. */
  enqueue: (announcements: readonly Announcement[]) => Promise<void>;
  /** Milliseconds since 1970. */
  clock: () => number;
  log: Logger;
  onDelivery: (fact: DeliveryFact) => void;
  isStopping: () => boolean;
};

/** What the steps leave for the log line. */
type Trace = { source: Source | null; format: BodyFormat; received: Received | null };

declare module 'fastify' {
  interface FastifyRequest {
    ingress: Trace | null;
  }
}

const noBytes = Buffer.alloc(0);
const oneAccepted = '{"accepted":1}';
/** What a header may hold; an id with other characters is in the answer to `explain`, not in a header. */
const visibleAscii = /^[\x21-\x7e]{1,512}$/;

const refuse = (reply: FastifyReply, code: ErrorCode, detail?: string, faults: readonly string[] = []) =>
  replyError(reply, new CodedError(code, detail, { faults }));

/** A refusal as the source's vendor should hear it; where it would harm, another status without a word. */
const refuseAs = (
  reply: FastifyReply,
  source: Source,
  refused: Received & { kind: 'refused' },
): FastifyReply => {
  const status = source.refusals[refused.code];
  if (status === undefined) return refuse(reply, refused.code, refused.detail, refused.faults);
  reply.request.errorCode = refused.code;
  return reply.code(status).send('');
};

const queryOf = ({ url }: FastifyRequest): string => {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start);
};

const isOpenHandshake = (source: Source, request: FastifyRequest): boolean =>
  source.greet.stages.has('open-head') &&
  source.greet.matches('open-head', request.method, {
    headers: request.headers,
    query: queryOf(request),
    body: undefined,
    item: undefined,
  });

const reply202 = (reply: FastifyReply, source: Source, delivery: string, accepted: number) => {
  if (visibleAscii.test(delivery)) reply.header('x-delivery-id', delivery);
  if (source.answer !== null)
    return reply
      .code(source.answer.status)
      .type(source.answer.type ?? 'text/plain; charset=utf-8')
      .send(source.answer.body);
  return reply
    .code(202)
    .header('content-type', 'application/json; charset=utf-8')
    .send(accepted === 1 ? oneAccepted : `{"accepted":${accepted}}`);
};

const replyReceived = (reply: FastifyReply, source: Source, received: Received): FastifyReply => {
  // A token in the URL makes the answer to it private (RFC 6750, 2.3).
  if (/[?&]access_token=/.test(queryOf(reply.request))) reply.header('cache-control', 'private');
  if (received.kind === 'refused' && received.code === 'METHOD_NOT_ALLOWED') reply.header('allow', 'POST');
  if (received.kind === 'refused') return refuseAs(reply, source, received);
  if (received.kind === 'accepted') return reply202(reply, source, received.delivery, received.accepted);
  // The challenge is the sender's text: no browser may take it for a page.
  reply.code(received.status).header('x-content-type-options', 'nosniff').headers(received.headers);
  if (received.type !== null) reply.type(received.type);
  return reply.send(received.body);
};

/**
 * The routes `/ingress/:source` as a plugin, in the order: unknown source, method, stopping, encoding and type, size
 * (bounded while it is read, by the server's `bodyLimit`), then `receiveDelivery`. Parsers and hooks stay inside the
 * plugin: here every body is raw bytes, whatever its type.
 */
export const createIngressRoutes = (options: Options): FastifyPluginAsync => {
  const { sources, enqueue, clock, log, onDelivery, isStopping } = options;

  /** Everything that the head of a request decides, before a byte of the body is read. */
  const judgeHead = (request: FastifyRequest<{ Params: { source: string } }>, reply: FastifyReply) => {
    const trace: Trace = { source: null, format: 'json', received: null };
    request.ingress = trace;
    const source = sources.get(request.params.source);
    if (source === undefined) return refuse(reply, 'SOURCE_UNKNOWN');
    trace.source = source;
    if (!source.methods.has(request.method))
      return refuse(reply.header('allow', [...source.methods].join(', ')), 'METHOD_NOT_ALLOWED');
    if (isStopping()) return refuse(reply.header('connection', 'close'), 'SHUTTING_DOWN');
    // A handshake has no body that we read, whatever it calls it (Microsoft Graph: text/plain).
    if (isOpenHandshake(source, request)) return null;
    const encoding = request.headers['content-encoding'];
    if (encoding !== undefined && encoding.toLowerCase() !== 'identity')
      return refuse(reply, 'CONTENT_TYPE_UNSUPPORTED', 'This source takes no compressed bodies');
    const format = bodyFormat(request.headers['content-type'], source.takes);
    if (format === null) return refuse(reply, 'CONTENT_TYPE_UNSUPPORTED');
    trace.format = format;
    return null;
  };

  const report = (request: FastifyRequest, reply: FastifyReply) => {
    const received = request.ingress?.received ?? null;
    const accepted = received?.kind === 'accepted' ? received : null;
    const fact: DeliveryFact = {
      source: request.ingress?.source?.id ?? null,
      delivery: accepted?.delivery ?? null,
      status: reply.statusCode,
      code: request.errorCode ?? null,
      accepted: accepted?.accepted ?? 0,
      unmapped: accepted?.unmapped ?? 0,
      unproven: accepted?.unproven ?? 0,
      bytes: Buffer.isBuffer(request.body) ? request.body.length : 0,
      ms: Math.round(reply.elapsedTime * 100) / 100,
    };
    onDelivery(fact);
    if (fact.code !== null) log.warn({ ...fact, request: request.id }, 'delivery.refused');
    else log.info(fact, received?.kind === 'greeted' ? 'delivery.greeted' : 'delivery.accepted');
  };

  return async (app) => {
    app.decorateRequest('ingress', null);
    app.removeAllContentTypeParsers();
    // `*` also takes bodies without a content type.
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    app.addHook<{ Params: { source: string } }>('onRequest', (request, reply, done) => {
      if (judgeHead(request, reply) === null) done();
    });
    app.addHook('onResponse', (request, reply, done) => {
      report(request, reply);
      done();
    });

    app.all('/ingress/:source', { exposeHeadRoute: false }, async (request, reply) => {
      const trace = request.ingress;
      if (trace === null || trace.source === null) return refuse(reply, 'SOURCE_UNKNOWN');
      const raw = Buffer.isBuffer(request.body) ? request.body : noBytes;
      const { method, headers } = request;
      const delivery = { method, query: queryOf(request), headers, raw, format: trace.format, now: clock() };
      const received = await receiveDelivery(trace.source, delivery, enqueue);
      trace.received = received;
      return replyReceived(reply, trace.source, received);
    });
  };
};
