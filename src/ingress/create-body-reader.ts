import type { Readable } from 'node:stream';
import { CodedError } from '../domain/errors.ts';

type Options = {
  /** A body that is not whole after this is ended. Milliseconds from the end of the head. */
  deadlineMs: number;
  /** Bytes that unfinished bodies may hold together. */
  maxHeld: number;
};

type Reading = { until: number; bytes: number; end: (error: CodedError) => void };

const sweepMs = 1_000;

/**
 * Makes what reads bodies, bounded in size and time. One sweep ends all that are late, so that a request costs no timer.
 * Where unfinished bodies hold too much together the oldest is ended: a sender that means it is done in milliseconds, and
 * one that drips is always among the oldest, so strangers can fill our memory no more than they can keep others out.
 */
export const createBodyReader = ({ deadlineMs, maxHeld }: Options) => {
  /** In the order in which they began, which is the order of their deadlines. */
  const open = new Set<Reading>();
  let held = 0;

  const endOldest = (detail?: string): void => {
    for (const oldest of open) {
      oldest.end(new CodedError('REQUEST_TIMEOUT', detail));
      return;
    }
  };
  const sweep = setInterval(
    () => {
      const now = performance.now();
      for (const reading of open) {
        if (reading.until > now) return;
        reading.end(new CodedError('REQUEST_TIMEOUT'));
      }
    },
    Math.min(sweepMs, deadlineMs),
  ).unref();

  return {
    /** @param limit bytes; @param done called once, with a CodedError or all that was sent */
    read(payload: Readable, limit: number, done: (error: CodedError | null, bytes?: Buffer) => void): void {
      const chunks: Buffer[] = [];
      const settle = (error: CodedError | null): void => {
        open.delete(reading);
        held -= reading.bytes;
        payload.off('data', onData).off('end', onEnd).off('error', onError);
        // It may still break off, and nobody else listens.
        payload.on('error', () => undefined);
        if (error === null) done(null, Buffer.concat(chunks, reading.bytes));
        else done(error);
      };
      const reading: Reading = { until: performance.now() + deadlineMs, bytes: 0, end: settle };
      const onData = (chunk: Buffer): void => {
        reading.bytes += chunk.length;
        held += chunk.length;
        chunks.push(chunk);
        if (reading.bytes > limit) settle(new CodedError('BODY_TOO_LARGE'));
        else if (held > maxHeld) endOldest('Too many requests are unfinished; this one is the oldest');
      };
      const onEnd = (): void => settle(null);
      const onError = (): void => settle(new CodedError('REQUEST_INVALID', 'The request broke off'));
      open.add(reading);
      payload.on('data', onData).on('end', onEnd).on('error', onError);
    },
    /** Bytes that unfinished bodies hold now. */
    held: (): number => held,
    close: (): void => clearInterval(sweep),
  };
};
