import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Announcement } from '../domain/announcement.ts';
import { CodedError, type ErrorCode, errorCatalogue } from '../domain/errors.ts';
import type { BodyFormat } from './body-format.ts';
import type { ContentCoding } from './content-coding.ts';
import { createBodyReader } from './create-body-reader.ts';
import type { Gate } from './gate.ts';
import { inflateBody } from './inflate-body.ts';
import { judgeHead } from './judge-head.ts';
import { type Admit, type Received, type Refused, receiveDelivery } from './receive-delivery.ts';
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
  /** Looked up for each request: whoever exchanges an entry changes what the next request meets. */
  sources: ReadonlyMap<string, Source>;
  /** By source; one without takes what the server takes. */
  gates?: ReadonlyMap<string, Gate>;
  /** Resolves once the announcements are in the queue; rejects with QUEUE_FULL or QUEUE_UNAVAILABLE. */
  enqueue: (announcements: readonly Announcement[]) => Promise<void>;
  /** Milliseconds since 1970. */
  clock: () => number;
  log: Logger;
  onDelivery: (fact: DeliveryFact) => void;
  isStopping: () => boolean;
  /** A body that is not whole after this is a 408. Tests shorten it. */
  bodyDeadlineMs?: number;
};

/** What the steps leave for the log line. */
type Trace = {
  source: Source | null;
  gate: Gate;
  format: BodyFormat;
  coding: ContentCoding;
  received: Received | null;
};

/** Unfinished bodies together; a busy receiver holds a few of them for milliseconds. */
const maxHeld = 256 * 1024 * 1024;

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
const refuseAs = (reply: FastifyReply, source: Source, refused: Refused): FastifyReply => {
  const status = source.refusals[refused.code];
  if (status === undefined) return refuse(reply, refused.code, refused.detail, refused.faults);
  reply.request.errorCode = refused.code;
  return reply.code(status).send('');
};

const queryOf = ({ url }: FastifyRequest): string => {
  const start = url.indexOf('?');
  return start === -1 ? '' : url.slice(start);
};

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
  if (received.kind === 'refused' && received.retryAfter !== undefined)
    reply.header('retry-after', received.retryAfter);
  if (received.kind === 'refused' && received.code === 'METHOD_NOT_ALLOWED') reply.header('allow', 'POST');
  if (received.kind === 'refused') return refuseAs(reply, source, received);
  if (received.kind === 'accepted') return reply202(reply, source, received.delivery, received.accepted);
  // The challenge is the sender's text: no browser may take it for a page.
  reply.code(received.status).header('x-content-type-options', 'nosniff').headers(received.headers);
  if (received.type !== null) reply.type(received.type);
  return reply.send(received.body);
};

/**
 * What a source still asks of a delivery that has proven itself. Paid only now: what strangers send costs its sender none
 * of its pace.
 */
const createAdmission = ({ paused, spend }: Gate): Admit | null => {
  const limited = (waitMs: number): Refused | null =>
    waitMs === 0
      ? null
      : {
          kind: 'refused',
          code: 'RATE_LIMITED',
          detail: errorCatalogue.RATE_LIMITED.means,
          retryAfter: Math.ceil(waitMs / 1000),
        };
  if (paused)
    return () => ({ kind: 'refused', code: 'SOURCE_PAUSED', detail: errorCatalogue.SOURCE_PAUSED.means });
  if (spend === null) return null;
  return () => {
    const wait = spend();
    return wait instanceof Promise ? wait.then(limited) : limited(wait);
  };
};

/**
 * The routes `/ingress/:source` as a plugin: unknown source, then `judgeHead`, then the bytes (bounded in size and time),
 * then `receiveDelivery`. Parsers and hooks stay inside the plugin: here every body is raw bytes, whatever its type.
 */
export const createIngressRoutes = (options: Options): FastifyPluginAsync => {
  const { sources, gates = new Map(), enqueue, clock, log, onDelivery, isStopping } = options;
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
    else if (fact.unproven > 0) log.warn({ ...fact, request: request.id }, 'delivery.accepted');
    else log.info(fact, received?.kind === 'greeted' ? 'delivery.greeted' : 'delivery.accepted');
  };

  return async (app) => {
    app.decorateRequest('ingress', null);
    app.removeAllContentTypeParsers();
    // `*` also takes bodies without a content type.
    const reader = createBodyReader({ deadlineMs: options.bodyDeadlineMs ?? 30_000, maxHeld });
    app.addHook('onClose', async () => reader.close());
    app.addContentTypeParser('*', (request, payload, done) =>
      reader.read(payload, request.ingress?.gate.bodyLimit ?? 0, done),
    );

    const openGate: Gate = {
      bodyLimit: app.initialConfig.bodyLimit ?? 0,
      paused: false,
      admitsPeer: null,
      spend: null,
    };
    const admissions = new Map<Gate, Admit | null>();
    for (const gate of gates.values()) admissions.set(gate, createAdmission(gate));

    app.addHook<{ Params: { source: string } }>('onRequest', (request, reply, done) => {
      const source = sources.get(request.params.source) ?? null;
      const gate = gates.get(request.params.source) ?? openGate;
      const trace: Trace = { source, gate, format: 'json', coding: 'identity', received: null };
      request.ingress = trace;
      if (source === null) return void refuse(reply, 'SOURCE_UNKNOWN');
      const head = judgeHead(source, gate, request, isStopping());
      if (head.kind === 'refused')
        return void refuse(reply.headers(head.headers ?? {}), head.code, head.detail);
      trace.format = head.format;
      trace.coding = head.coding;
      done();
    });
    app.addHook('onResponse', (request, reply, done) => {
      report(request, reply);
      done();
    });

    app.all('/ingress/:source', { exposeHeadRoute: false }, async (request, reply) => {
      const trace = request.ingress;
      if (trace === null || trace.source === null) return refuse(reply, 'SOURCE_UNKNOWN');
      const { source, gate, format, coding } = trace;
      const sent = Buffer.isBuffer(request.body) ? request.body : noBytes;
      const packed = coding !== 'identity' && sent.length > 0;
      const raw = packed ? await inflateBody(coding, sent, gate.bodyLimit) : sent;
      if (!Buffer.isBuffer(raw)) return refuseAs(reply, source, { kind: 'refused', ...raw });
      const { method, headers } = request;
      const query = queryOf(request);
      const received = await receiveDelivery(
        source,
        { method, query, headers, raw, packed: packed ? sent : null, format, now: clock() },
        enqueue,
        admissions.get(gate) ?? null,
      );
      trace.received = received;
      return replyReceived(reply, source, received);
    });
  };
};
