import { answersAt } from './answers-at.ts';
import { describeProcess } from './describe-process.ts';
import type { EmbeddedPostgres } from './embedded-postgres.ts';
import { stateFile } from './state-file.ts';

/**
 * The embedded Postgres that another live process runs at this place; null where none does. One whose starter is gone
 * is about to stop, and so is none. `stop()` leaves it to its starter.
 */
export const attachEmbeddedPostgres = async (options: { dir: string }): Promise<EmbeddedPostgres | null> => {
  const state = await stateFile(options.dir).read();
  if (state === null) return null;
  const starter = await describeProcess(state.starter.pid);
  if (starter?.began !== state.starter.began || !(await answersAt(state.url))) return null;
  return {
    url: state.url,
    dataDir: state.dataDir,
    movedBecause: state.movedBecause,
    stop: async () => undefined,
  };
};
