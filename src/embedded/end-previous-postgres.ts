import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeProcess } from './describe-process.ts';

/** How long each way of ending it is given: its own keeper's, then ours, ever ruder. */
const ways: ReadonlyArray<readonly [NodeJS.Signals | null, number]> = [
  [null, 8_000],
  ['SIGINT', 5_000],
  ['SIGQUIT', 3_000],
  ['SIGKILL', 3_000],
];

/**
 * Clears the way for a start where the last one was killed: waits for a Postgres that is still stopping, ends one that
 * does not, and removes a lock file whose process id is somebody else's by now (Postgres would refuse to start on it,
 * and every restart of a container makes one).
 *
 * @param isHeld whether a live process runs it after all: one that was just starting when we looked first
 * @returns 'held' where one does; nothing was touched then
 */
export const endPreviousPostgres = async (
  dataDir: string,
  isHeld: () => Promise<boolean>,
): Promise<'free' | 'held'> => {
  const lockFile = join(dataDir, 'postmaster.pid');
  const readPid = async () => Number.parseInt(await readFile(lockFile, 'utf8').catch(() => ''), 10);
  const pid = await readPid();
  if (!Number.isInteger(pid)) return 'free';
  const isOurs = (command: string) => command.includes(`-D ${dataDir} `);
  const isRunning = async () => isOurs((await describeProcess(pid))?.command ?? '');

  for (const [signal, patienceMs] of ways) {
    if (signal && (await isRunning())) {
      try {
        process.kill(pid, signal);
      } catch {
        // it ended in between
      }
    }
    const deadline = Date.now() + patienceMs;
    while ((await isRunning()) && Date.now() < deadline) {
      if (await isHeld()) return 'held';
      await sleep(100);
    }
  }
  const stranger = await describeProcess(pid);
  if (stranger !== null && !isOurs(stranger.command) && (await readPid()) === pid)
    await rm(lockFile, { force: true });
  return 'free';
};
