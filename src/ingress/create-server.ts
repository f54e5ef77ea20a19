import { randomBytes } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { CodedError, errorBody } from '../domain/errors.ts';
import { replyError } from './reply-error.ts';
import { toCodedError } from './to-coded-error.ts';

type Options = {
  /** Bytes; `http.body_limit`. */
  bodyLimit: number;
  log: Logger;
  /** A request that is not whole after this is ended, however it drips. Tests shorten it. */
  requestTimeoutMs?: number;
};

/** Longer than the 60 s after which load balancers usually drop idle connections, so that it is they who close. */
const keepAliveTimeoutMs = 75_000;
/** Above it: Node counts this from the opening of a connection, and a balancer may open some in advance. */
const headersTimeoutMs = 80_000;

/** Unique over processes and restarts, and cheap: one random part per process and a count. */
const createRequestIds = () => {
  const process = randomBytes(6).toString('hex');
  let count = 0;
  return () => {
    count += 1;
    return `${process}-${count.toString(36)}`;
  };
};

/** Answers what Node's parser refused, which no route ever sees. */
const answerBrokenRequest = (nextId: () => string) => (error: Error & { code?: string }, socket: Socket) => {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const timedOut = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const coded = timedOut
    ? new CodedError('REQUEST_TIMEOUT')
    : new CodedError('REQUEST_INVALID', 'The request is not well-formed HTTP, or its head is too large');
  const body = JSON.stringify(errorBody(coded.code, coded.message, nextId()));
  if (socket.writable)
    socket.write(
      `HTTP/1.1 ${coded.status} ${STATUS_CODES[coded.status]}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  socket.destroySoon();
};

/**
 * Makes the one HTTP server; ingress and API are registered on it. It answers every error in the contract's shape: a
 * coded one as the catalogue says, all else as a bare 500 whose cause only the log holds, under the request's id.
 */
export const createServer = ({ bodyLimit, log, requestTimeoutMs = 90_000 }: Options): FastifyInstance => {
  const nextId = createRequestIds();

  const answerError = (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const coded = toCodedError(error);
    if (coded !== null) return replyError(reply, coded);
    log.error({ err: error, request: request.id, route: request.routeOptions.url }, 'request.failed');
    return replyError(reply, new CodedError('INTERNAL'));
  };

  const app = Fastify({
    // One wide line per delivery is ours to write; two more per request would be Fastify's.
    logger: false,
    // Ids that callers choose would be theirs to forge in our log, and addresses theirs to claim.
    requestIdHeader: false,
    trustProxy: false,
    genReqId: nextId,
    bodyLimit,
    // Ids in directory URLs may be as long as the directory takes them.
    routerOptions: { maxParamLength: 1024 },
    keepAliveTimeout: keepAliveTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // How often Node looks for requests past their time; its default of 30 s would double ours.
    http: { connectionsCheckingInterval: Math.min(5_000, requestTimeoutMs) },
    forceCloseConnections: 'idle',
    // Fastify's own 503 has another shape and no Retry-After; the hook below answers instead.
    return503OnClosing: false,
    clientErrorHandler: answerBrokenRequest(nextId),
    frameworkErrors: (error, request, reply) => {
      answerError(error, request, reply);
    },
  });
  // Never above requestTimeout: Node 20 then swaps the two without a word, and half-sent bodies would stay for longer.
  app.server.headersTimeout = Math.min(headersTimeoutMs, requestTimeoutMs);

  app.decorateRequest('errorCode', null);
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  app.addHook('onRequest', (_request, reply, done) => {
    if (closing) replyError(reply, new CodedError('SHUTTING_DOWN'));
    else done();
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((_request, reply) => replyError(reply, new CodedError('ROUTE_UNKNOWN')));
  return app;
};
