import type { Logger } from 'pino';

export type OutageLog = { failed(error: unknown): void; recovered(): void };

/**
 * One line when something goes away and one when it is back, whatever floods of errors a client library emits between.
 * Only the message of an error is logged: ioredis hangs the failed command on it, arguments and all, and those are
 * payloads.
 */
export const createOutageLog = (log: Logger, what: string): OutageLog => {
  let since: number | null = null;
  return {
    failed(error) {
      if (since !== null) return;
      since = Date.now();
      log.warn({ what, why: messageOf(error) }, 'queue.lost');
    },
    recovered() {
      if (since === null) return;
      log.info({ what, awayMs: Date.now() - since }, 'queue.regained');
      since = null;
    },
  };
};

const messageOf = (error: unknown): string => {
  const { message, code } =
    error instanceof Error ? (error as Error & { code?: unknown }) : { message: '', code: null };
  // An AggregateError of a failed connect has no message of its own.
  return (message || (typeof code === 'string' ? code : String(error))).slice(0, 300);
};
