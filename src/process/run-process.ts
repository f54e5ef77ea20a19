import { type ChildProcess, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Keeper } from './create-keeper.ts';
import type { TakeLines } from './create-line-taker.ts';
import { type Draining, drainStdout } from './drain-stdout.ts';
import { endGroup } from './end-group.ts';
import { logStderr } from './log-stderr.ts';
import { pause } from './pause.ts';

/** A pipe of a process that has ended and stays silent for this long is empty. */
const quietEnoughMs = 300;
/** Far more than a pipe holds. What comes after is from somebody who took the pipe along, and is not waited for. */
const tailBytes = 4 * 1024 * 1024;
const lookEveryMs = 20;

type RunNeeds = {
  program: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment. */
  env: Readonly<Record<string, string>>;
  maxLine: number;
  take: TakeLines;
  keeper: Keeper;
  /** Called with the number of its process group, which is its own. */
  onStarted: (pid: number) => Promise<void>;
  /** Between TERM and KILL. */
  graceMs: number;
  /** End it. */
  closing: AbortSignal;
  /** Wait for the queue no more. */
  giveUp: AbortSignal;
  log: Logger;
};

/** One run, from its start until nothing of it is left. Never rejects. @returns why it ended */
export const runProcess = async (needs: RunNeeds): Promise<string> => {
  const { program, args, cwd, env, maxLine, take, keeper, onStarted, graceMs, closing, giveUp, log } = needs;
  let child: ChildProcess;
  try {
    child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  } catch (error) {
    return explainFault(error, program, cwd);
  }
  const ended = endOf(child);
  const { pid, stdout, stderr } = child;
  if (pid === undefined || stdout === null || stderr === null) return explainFault(await ended, program, cwd);
  keeper.keep(pid);

  let ending: Promise<void> | null = null;
  const end = (): void => {
    ending ??= endGroup(pid, graceMs);
  };
  closing.addEventListener('abort', end);
  if (closing.aborted) end();
  logStderr(stderr, log);
  const draining = drainStdout(stdout, {
    maxLine,
    take,
    giveUp,
    onGivenUp: (lines) => log.error({ lines }, 'process.lines_lost'),
  });
  await onStarted(pid);

  const how = await ended;
  // Whatever it left behind in its group would run beside its successor.
  end();
  await ending;
  await untilEmpty(draining);
  stdout.destroy();
  await draining.over;
  stderr.destroy();
  closing.removeEventListener('abort', end);
  keeper.forget(pid);
  return how instanceof Error ? how.message : how;
};

/** Its exit, or that it did not start. Not `close`: that waits for everybody who holds the pipe. */
const endOf = (child: ChildProcess): Promise<string | Error> =>
  new Promise((resolve) => {
    child.once('error', resolve);
    child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  });

const untilEmpty = async (draining: Draining): Promise<void> => {
  const before = draining.bytesRead();
  while (
    !draining.isOver() &&
    draining.quietMs() < quietEnoughMs &&
    draining.bytesRead() - before < tailBytes
  )
    await pause(lookEveryMs);
};

/** ENOENT is said of the program where in truth the directory is missing. */
const explainFault = async (fault: unknown, program: string, cwd: string): Promise<string> => {
  const isDirectory = await stat(cwd).then(
    (found) => found.isDirectory(),
    () => false,
  );
  if (!isDirectory) return `the directory ${cwd} (cwd) is not there`;
  const code = fault instanceof Error && 'code' in fault ? String(fault.code) : String(fault);
  if (code === 'ENOENT') return `the program ${program} is not there`;
  if (code === 'EACCES') return `the program ${program} may not be run`;
  return `${program} could not be started: ${code}`;
};
