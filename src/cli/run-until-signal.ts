import { isatty } from 'node:tty';
import type { Logger } from 'pino';

/** One Ctrl-C reaches us twice under npm: from the terminal, and handed on by npm. */
const SAME_SIGNAL_MS = 1_000;

/**
 * Lets an app run until a person or a supervisor ends it. The first SIGINT or SIGTERM stops it in good order; a second
 * one means "now", and what is in hand is taken up by the next start. SIGHUP reads secrets anew, unless it says that the
 * terminal we were started from is gone: then it is an end like any other.
 * @returns when it has stopped
 */
export const runUntilSignal = async (
  app: { stop: () => Promise<void>; reloadSecrets: () => Promise<void> },
  log: Logger,
): Promise<void> => {
  let stopping: Promise<void> | undefined;
  let stoppingSince = 0;
  const hadTerminal = isatty(0);
  await new Promise<void>((resolve) => {
    const onSignal = (signal: NodeJS.Signals): void => {
      if (stopping !== undefined) {
        if (performance.now() - stoppingSince < SAME_SIGNAL_MS) return;
        log.warn({ signal }, 'process.forced');
        process.exit(1);
      }
      log.info({ signal }, 'process.stopping');
      stoppingSince = performance.now();
      stopping = app.stop().finally(resolve);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
    process.on('SIGHUP', (signal) => {
      if (hadTerminal && !isatty(0)) return onSignal(signal);
      log.info({ signal }, 'secrets.reading');
      void app.reloadSecrets();
    });
  });
  await stopping;
  log.info('process.stopped');
};
