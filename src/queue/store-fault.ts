import { CodedError } from '../domain/errors.ts';

/**
 * What a failed add says to a caller. The cause is not handed on: ioredis hangs the command with its arguments, that
 * is, payloads, on its errors, and a logger writes causes out.
 */
export const storeFault = (error: unknown): CodedError => {
  if (error instanceof CodedError) return error;
  const message = error instanceof Error ? error.message : '';
  if (message.startsWith('OOM')) {
    return new CodedError('QUEUE_UNAVAILABLE', 'The queue store is out of memory and takes no more');
  }
  return new CodedError('QUEUE_UNAVAILABLE');
};
