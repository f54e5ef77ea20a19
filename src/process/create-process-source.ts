import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import type { Keeper } from './create-keeper.ts';
import type { TakeLines } from './create-line-taker.ts';
import { type BeganOf, endPreviousRun } from './end-previous-run.ts';
import { holdRight, type TakeLock } from './hold-right.ts';
import { pause } from './pause.ts';
import { resolveCommand } from './resolve-command.ts';
import { restartDelay } from './restart-delay.ts';
import type { RunFile } from './run-file.ts';
import { runProcess } from './run-process.ts';

/** What a process source is doing, for readiness and metrics. */
export type ProcessState = {
  source: string;
  /** `standby`: another process of this deployment runs it. `looping`: it ended early five times in a row or more. */
  state: 'standby' | 'running' | 'restarting' | 'looping' | 'stopped';
  pid: number | null;
  /** RFC 3339: since when it is in this state. */
  since: string;
  /** Starts in this process's life. */
  starts: number;
  /** Runs in a row that ended within a minute. */
  bad_runs: number;
  /** Why the last run ended; null: none has. */
  last_end: string | null;
};

export type ProcessSettings = {
  id: string;
  command: readonly string[];
  /** Absolute. */
  cwd: string;
  env: Readonly<Record<string, string>>;
  maxLine: number;
};

/** Milliseconds: between TERM and KILL; a run of that length is a good one; between two tries to take the lock. */
export type ProcessTimes = { graceMs: number; goodRunMs: number; lockEveryMs: number };

const processTimes: ProcessTimes = { graceMs: 5_000, goodRunMs: 60_000, lockEveryMs: 2_000 };
/** Bad runs in a row from which on it is called a loop. */
const loopFrom = 5;

type SourceNeeds = {
  settings: ProcessSettings;
  /** Directory of the configuration, and our own PATH. */
  dir: string;
  path: string;
  /** Makes what takes the lines of the run of this name. */
  takerFor: (run: string) => TakeLines;
  lock: TakeLock;
  keeper: Keeper;
  file: RunFile;
  beganOf: BeganOf;
  log: Logger;
  times?: ProcessTimes;
  /** How long to wait after so many bad runs in a row. */
  delayMs?: (badRuns: number) => number;
};

/**
 * Runs a pack's process for as long as this process lives: once in the whole deployment, started again whenever it ends,
 * at a growing distance if it ends early.
 */
export const createProcessSource = (needs: SourceNeeds) => {
  const { settings, takerFor, keeper, file, beganOf, times = processTimes } = needs;
  const { delayMs = (badRuns) => restartDelay(badRuns, Math.random()) } = needs;
  const log = needs.log.child({ source: settings.id });
  const closing = new AbortController();
  const giveUp = new AbortController();
  const state: ProcessState = {
    source: settings.id,
    state: 'standby',
    pid: null,
    since: new Date().toISOString(),
    starts: 0,
    bad_runs: 0,
    last_end: null,
  };
  const enter = (next: ProcessState['state'], pid: number | null = null): void => {
    if (state.state !== next || state.pid !== pid) state.since = new Date().toISOString();
    state.state = next;
    state.pid = pid;
  };

  const onStarted = async (pid: number): Promise<void> => {
    state.starts += 1;
    // A loop stays one until a run was good: a process that runs for a second is not well.
    enter(state.bad_runs >= loopFrom ? 'looping' : 'running', pid);
    log.info({ child: pid, starts: state.starts }, 'process.started');
    const began = await beganOf(pid);
    if (began === null) return;
    // Without the file the keeper alone sees to it that nothing is left over.
    await file.write({ group: pid, began }).catch((error: Error) => {
      log.warn({ why: error.message }, 'process.mark_not_written');
    });
  };

  const runOnce = async (stop: AbortSignal): Promise<void> => {
    const from = Date.now();
    const wellAfter = setTimeout(() => {
      state.bad_runs = 0;
      if (state.pid !== null) enter('running', state.pid);
    }, times.goodRunMs);
    const command = await resolveCommand(settings.command, needs);
    const why = await runProcess({
      ...command,
      cwd: settings.cwd,
      env: settings.env,
      maxLine: settings.maxLine,
      take: takerFor(randomBytes(5).toString('hex')),
      keeper,
      onStarted,
      graceMs: times.graceMs,
      closing: stop,
      giveUp: giveUp.signal,
      log,
    });
    clearTimeout(wellAfter);
    await file.remove().catch(() => undefined);
    const ranMs = Date.now() - from;
    state.last_end = why;
    if (stop.aborted) {
      log.info({ why, ranMs }, 'process.stopped_child');
      return;
    }
    state.bad_runs = ranMs >= times.goodRunMs ? 0 : state.bad_runs + 1;
    const nextMs = delayMs(Math.max(state.bad_runs, 1));
    enter(state.bad_runs >= loopFrom ? 'looping' : 'restarting');
    const fact = { why, ranMs, badRuns: state.bad_runs, nextMs };
    if (state.bad_runs === loopFrom) log.error(fact, 'process.looping');
    else log.warn(fact, 'process.ended');
    await pause(nextMs, stop);
  };

  const live = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      const right = await holdRight({
        take: needs.lock,
        everyMs: times.lockEveryMs,
        closing: closing.signal,
        onWaiting: () => enter('standby'),
        log,
      });
      if (right === null) break;
      const stop = AbortSignal.any([closing.signal, right.lost]);
      await endPreviousRun({ file, beganOf, graceMs: times.graceMs }, log);
      while (!stop.aborted) await runOnce(stop);
      await right.release();
    }
    enter('stopped');
  };
  const living = live().catch((error: Error) => {
    enter('stopped');
    log.fatal({ why: error.message }, 'process.supervisor_broke');
  });

  return {
    state: (): ProcessState => ({ ...state }),
    /** Ends it: TERM to its group, KILL after five seconds; what it wrote still goes to the queue, if that takes it in time. */
    async close(): Promise<void> {
      closing.abort();
      const timer = setTimeout(() => giveUp.abort(), times.graceMs + 2_000);
      await living;
      clearTimeout(timer);
    },
  };
};
