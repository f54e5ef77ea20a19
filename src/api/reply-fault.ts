import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { CodedError, type ErrorCode, errorBody } from '../domain/errors.ts';
import { isDatabaseAway } from '../store/is-database-away.ts';

/** Fastify's own refusals, in the words of our catalogue. */
const codesByStatus: Readonly<Record<number, ErrorCode>> = {
  400: 'BODY_MALFORMED',
  413: 'BODY_TOO_LARGE',
  415: 'CONTENT_TYPE_UNSUPPORTED',
};

/** Answers a fault with the contract's error body. What is no coded error is logged whole and answered bare. */
export const replyFault = (
  fault: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Logger,
): FastifyReply => {
  const error = toCodedError(fault);
  if (error.status >= 500) log.error({ err: fault, request: request.id, code: error.code }, 'api.failed');
  if (error.status === 401) reply.header('www-authenticate', 'Bearer');
  if (error.status === 503) reply.header('retry-after', 5);
  return reply
    .code(error.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(error.code, error.message, request.id, error.faults)));
};

const toCodedError = (fault: unknown): CodedError => {
  if (fault instanceof CodedError) return fault;
  if (isDatabaseAway(fault)) return new CodedError('DATABASE_UNREACHABLE', undefined, { cause: fault });
  const status = fault instanceof Error && 'statusCode' in fault ? Number(fault.statusCode) : 500;
  return new CodedError(codesByStatus[status] ?? 'INTERNAL', undefined, { cause: fault });
};
