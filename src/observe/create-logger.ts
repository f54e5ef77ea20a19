import { type Logger, pino } from 'pino';

/**
 * The process's log: one JSON object a line on stderr, so that stdout stays free for what a command answers. Facts are
 * dotted and past tense (`delivery.accepted`). Payloads and secrets are never handed to it; what an error may drag along
 * (the row that Postgres refused, a request's headers) is left out by its serializer.
 * @param level `trace` … `fatal`, or `silent`
 */
export const createLogger = (level: string): Logger =>
  pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    // Written in pieces, at the latest after a tenth of a second: a write per delivery would cost more than verifying it.
    // What is left is written when the process ends in any way but a kill.
    pino.destination({ dest: 2, sync: false, minLength: 4096, periodicFlush: 100 }),
  );

/** Postgres puts parts of the refused value into `detail` and `where`; clients put requests on their errors. */
const describeError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return { message: String(error) };
  const { name, message, stack } = error;
  return { name, message, ...('code' in error ? { code: error.code } : {}), stack };
};
