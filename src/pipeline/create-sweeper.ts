import type { Logger } from 'pino';

type SweeperParts = {
  /** Milliseconds between two rounds. */
  periodMs: number;
  /** What a round does, in order, by name. Each is bounded in itself and safe to run in many processes at once. */
  tasks: Readonly<Record<string, () => Promise<void>>>;
  log: Logger;
};

/**
 * Runs its tasks now and then: offering again what is still open in the outbox, purging what has expired. It works from
 * Postgres alone, so it also finds what a queue lost. A task that fails is logged and tried in the next round.
 */
export const createSweeper = ({ periodMs, tasks, log }: SweeperParts): { stop: () => Promise<void> } => {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let round: Promise<void> = Promise.resolve();

  const sweep = async (): Promise<void> => {
    for (const [name, run] of Object.entries(tasks)) {
      if (stopped) return;
      try {
        await run();
      } catch (error) {
        log.warn({ task: name, err: error }, 'sweep.failed');
      }
    }
  };
  const schedule = (): void => {
    if (stopped) return;
    // Spread, so that many workers don't all sweep at the same moment.
    timer = setTimeout(
      () => {
        round = sweep().finally(schedule);
      },
      periodMs * (0.75 + Math.random() / 2),
    );
  };
  round = sweep().finally(schedule);

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await round;
    },
  };
};
