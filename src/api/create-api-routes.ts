import { Readable } from 'node:stream';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { CodedError } from '../domain/errors.ts';
import { listenInbox } from '../store/listen-inbox.ts';
import type { Answer } from './answer.ts';
import type { Caller } from './caller.ts';
import { createInboxBell } from './create-inbox-bell.ts';
import { describeRoute, documentHead } from './describe-route.ts';
import type { ApiParts } from './endpoint.ts';
import { replyFault } from './reply-fault.ts';
import { type Route, routes } from './routes.ts';

/** Whose token a request carries. @throws CodedError TOKEN_MISSING, TOKEN_INVALID */
type Identify = (authorization: string | undefined) => Caller;
type ApiOptions = Omit<ApiParts, 'bell'> & { identify: Identify };

/** Requests of the API are small; what is larger is refused while it is read. */
const BODY_LIMIT = 1024 * 1024;

/**
 * The API of Invokers and operators under `/v1`, its description at `/openapi.json` and `/docs`. A plugin of its own:
 * parsers, hooks and the error handler in it do not touch the server around it. When the server closes, requests that
 * wait are answered at once and streams end.
 */
export const createApiRoutes =
  ({ identify, ...given }: ApiOptions): FastifyPluginAsync =>
  async (server) => {
    const bell = createInboxBell((ring) => listenInbox({ pool: given.pool, log: given.log, onNotice: ring }));
    server.addHook('preClose', bell.close);
    const parts: ApiParts = { ...given, bell };

    await server.register(swagger, {
      openapi: documentHead,
      transform: jsonSchemaTransform,
      transformObject: jsonSchemaTransformObject,
    });
    await server.register(swaggerUi, {
      routePrefix: '/docs',
      staticCSP: true,
      // Left to itself the page asks a validator on the Internet about the document.
      uiConfig: { validatorUrl: null },
    });
    server.get('/openapi.json', { schema: { hide: true } }, async () => server.swagger());

    await server.register(async (api) => {
      api.setErrorHandler((error, request, reply) => replyFault(error, request, reply, parts.log));
      takeJson(api);
      // Shapes are checked by each endpoint, all faults at once, and answers are written as they are.
      api.setValidatorCompiler(() => () => true);
      api.setSerializerCompiler(() => JSON.stringify);
      for (const route of routes) addRoute(api, route, parts, identify);
    });
  };

/** JSON bodies only, an empty one counting as none. */
const takeJson = (api: FastifyInstance): void => {
  api.removeAllContentTypeParsers();
  const parse = api.getDefaultJsonParser('error', 'error');
  api.addContentTypeParser(
    'application/json',
    { parseAs: 'string', bodyLimit: BODY_LIMIT },
    (request, body, done) => {
      if (body === '') done(null, undefined);
      else void parse(request, String(body), done);
    },
  );
};

const addRoute = (
  api: FastifyInstance,
  { method, url, roles, endpoint }: Route,
  parts: ApiParts,
  identify: Identify,
): void => {
  const permit = (request: FastifyRequest) => {
    const caller = identify(request.headers.authorization);
    if (!roles.includes(caller.role)) {
      throw new CodedError('ROLE_FORBIDDEN', `A token of role ${caller.role} may not do this`);
    }
    return caller;
  };
  api.route({
    method,
    url,
    // A HEAD of a lease or a stream would take what its caller can't see.
    exposeHeadRoute: false,
    schema: describeRoute(method, url, roles, endpoint),
    // Before the body is read: a stranger's body is not worth reading.
    onRequest: async (request) => {
      permit(request);
    },
    handler: async (request, reply) => {
      const { params, query, body } = request;
      const { accept } = request.headers;
      const context = { caller: permit(request), signal: signalWhenGone(reply), accept };
      const answer = await endpoint.run(parts, { params, query, body }, context);
      // What was answered because we close, or streams, leaves no idle connection behind that closing would wait for.
      if (parts.bell.closed() || answer.kind === 'events') reply.header('connection', 'close');
      return send(reply, answer);
    },
  });
};

/** Given when the connection closes before the answer is out; the request's own `close` comes when its body is read. */
const signalWhenGone = (reply: FastifyReply): AbortSignal => {
  const gone = new AbortController();
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) gone.abort();
  });
  return gone.signal;
};

const send = (reply: FastifyReply, answer: Answer): FastifyReply => {
  // Records are somebody's: nothing between us and the reader may keep them.
  reply.header('cache-control', 'no-store');
  switch (answer.kind) {
    case 'value':
      return reply.send(answer.value);
    case 'text':
      return reply.headers(answer.headers).type(`${answer.media}; charset=utf-8`).send(answer.json);
    case 'events':
      return reply
        .type('text/event-stream; charset=utf-8')
        .header('x-accel-buffering', 'no')
        .send(Readable.from(answer.events));
  }
};
