import type { Logger } from 'pino';
import { endGroup } from './end-group.ts';
import type { RunFile } from './run-file.ts';

/** When the process of this id began, in whatever form the system has; null where there is none. */
export type BeganOf = (pid: number) => Promise<string | null>;

/**
 * Ends what an earlier life of ours left running. Its leader must have begun when the file says: a number that has become
 * somebody else's is left alone.
 */
export const endPreviousRun = async (
  { file, beganOf, graceMs }: { file: RunFile; beganOf: BeganOf; graceMs: number },
  log: Logger,
): Promise<void> => {
  const mark = await file.read();
  if (mark === null) return;
  if ((await beganOf(mark.group)) === mark.began) {
    log.warn({ pid: mark.group }, 'process.left_over');
    await endGroup(mark.group, graceMs);
  }
  await file.remove();
};
