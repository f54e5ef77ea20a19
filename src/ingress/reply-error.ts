import type { FastifyReply } from 'fastify';
import { type CodedError, type ErrorCode, errorBody } from '../domain/errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Catalogue code of the error that this request was answered with. */
    errorCode: ErrorCode | null;
  }
}

/** A full queue empties slowly, a pause lasts; the other causes pass or are mended. */
const slow: Readonly<Partial<Record<ErrorCode, number>>> = { QUEUE_FULL: 30, SOURCE_PAUSED: 60 };
/** Seconds after which a sender may try again. */
const retryAfterSeconds = (code: ErrorCode): number => slow[code] ?? 5;

/** Answers with the catalogue's status, the contract's error body, and `Retry-After` where it says "later". */
export const replyError = (reply: FastifyReply, error: CodedError): FastifyReply => {
  reply.request.errorCode = error.code;
  if ((error.status === 429 || error.status === 503) && !reply.hasHeader('retry-after'))
    reply.header('retry-after', retryAfterSeconds(error.code));
  return reply
    .code(error.status)
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(errorBody(error.code, error.message, reply.request.id, error.faults)));
};
