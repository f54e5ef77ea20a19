import type { Logger } from 'pino';

/**
 * Lets an app run until a person or a supervisor ends it. The first SIGINT or SIGTERM stops it in good order; a second
 * one means "now", and what is in hand is taken up by the next start.
 * @returns when it has stopped
 */
export const runUntilSignal = async (app: { stop: () => Promise<void> }, log: Logger): Promise<void> => {
  let stopping: Promise<void> | undefined;
  await new Promise<void>((resolve) => {
    const onSignal = (signal: NodeJS.Signals): void => {
      if (stopping !== undefined) {
        log.warn({ signal }, 'process.forced');
        process.exit(1);
      }
      log.info({ signal }, 'process.stopping');
      stopping = app.stop().finally(resolve);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
  await stopping;
  log.info('process.stopped');
};
