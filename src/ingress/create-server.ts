import { randomBytes } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { CodedError, type ErrorCode, errorBody } from '../domain/errors.ts';
import { replyError } from './reply-error.ts';
import { toCodedError } from './to-coded-error.ts';

type Options = {
  /** Bytes; `http.body_limit`. */
  bodyLimit: number;
  log: Logger;
  /** Networks of proxies before us whose X-Forwarded-For is believed, from its right end up to the first that is none. */
  trustedProxies?: readonly string[];
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

/** What Node's parser says of a request, and what it means; all else is malformed. */
const codes: Readonly<Record<string, ErrorCode>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  HPE_HEADER_OVERFLOW: 'HEAD_TOO_LARGE',
};

/** Answers what Node's parser refused, which no route ever sees. */
const answerBrokenRequest = (nextId: () => string) => (error: Error & { code?: string }, socket: Duplex) => {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const coded = new CodedError(
    codes[error.code ?? ''] ?? 'REQUEST_INVALID',
    error.code !== undefined && error.code in codes ? undefined : 'The request is not well-formed HTTP',
  );
  const body = JSON.stringify(errorBody(coded.code, coded.message, nextId()));
  if (!socket.writable) return void socket.destroy();
  socket.end(
    `HTTP/1.1 ${coded.status} ${STATUS_CODES[coded.status]}\r\nConnection: close\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
};

/**
 * Makes the one HTTP server; ingress and API are registered on it. It answers every error in the contract's shape: a
 * coded one as the catalogue says, all else as a bare 500 whose cause only the log holds, under the request's id.
 */
export const createServer = ({
  bodyLimit,
  log,
  trustedProxies = [],
  requestTimeoutMs = 90_000,
}: Options): FastifyInstance => {
  const nextId = createRequestIds();

  const answerBroken = answerBrokenRequest(nextId);

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
    trustProxy: trustedProxies.length === 0 ? false : [...trustedProxies],
    genReqId: nextId,
    bodyLimit,
    // Ids in directory URLs may be as long as the directory takes them.
    routerOptions: { maxParamLength: 1024 },
    keepAliveTimeout: keepAliveTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // How often Node looks for requests past their time; its default of 30 s would double ours.
    // Node's own 400 without Host has no body; the hook below answers instead.
    http: { connectionsCheckingInterval: Math.min(5_000, requestTimeoutMs), requireHostHeader: false },
    forceCloseConnections: 'idle',
    // Fastify's own 503 has another shape and no Retry-After; the hook below answers instead.
    return503OnClosing: false,
    clientErrorHandler: answerBroken,
    frameworkErrors: (error, request, reply) => {
      answerError(error, request, reply);
    },
  });
  // Never above requestTimeout: Node 20 then swaps the two without a word, and half-sent bodies would stay for longer.
  app.server.headersTimeout = Math.min(headersTimeoutMs, requestTimeoutMs);

  // Node would answer both by itself: one with a bare 417 (we do as if nothing were expected), one with a cut connection.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.server.on('connect', (_request, socket) => answerBroken(new Error('CONNECT is for proxies'), socket));

  app.decorateRequest('errorCode', null);
  let closing = false;
  app.addHook('preClose', (done) => {
    closing = true;
    done();
  });
  app.addHook('onRequest', ({ raw }, reply, done) => {
    if (closing) replyError(reply, new CodedError('SHUTTING_DOWN'));
    else if (raw.headers.host === undefined && raw.httpVersion === '1.1')
      replyError(
        reply,
        new CodedError('REQUEST_INVALID', 'HTTP/1.1 asks for the header Host (RFC 9112, 3.2)'),
      );
    else done();
  });
  app.setErrorHandler(answerError);
  app.setNotFoundHandler((_request, reply) => replyError(reply, new CodedError('ROUTE_UNKNOWN')));
  return app;
};
