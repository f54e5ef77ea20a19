import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadResult } from '../load/load-orders.ts';
import type { RunningSubject, Subject } from '../subjects/subject.ts';
import { readProcess } from './read-process.ts';
import { ask, countAll, countRecorded, type Delays, readDelays } from './read-records.ts';
import { startLoad } from './start-load.ts';
import type { Backend, BenchStores } from './start-stores.ts';

export type RunOptions = {
  connections: number;
  accounts: number;
  warmUpMs: number;
  windowMs: number;
  /** Requests a second that are prepared; the fastest subject must stay below it. */
  preparedPerSecond: number;
  /** Profiles are written here, a directory per process; null: none. */
  profileDir: string | null;
};

export type RunResult = {
  load: LoadResult;
  /** Records written inside the window; null where nothing is stored. */
  recorded: number | null;
  /** From accept to record, of what was accepted inside the window; null for a full load: it only tells the backlog. */
  delays: Delays | null;
  /** Records in all when the load ended, warm-up included; null where nothing is stored. */
  recordedInAll: number | null;
  /** Peak memory so far, and CPU seconds from the load's start to its end, warm-up included. */
  processes: Array<{ name: string; peakBytes: number; cpuSeconds: number }>;
};

type Run = {
  subject: Subject;
  backend: Backend | null;
  stores: BenchStores;
  options: RunOptions;
  receiverOnly?: boolean;
};

/** Starts a subject on fresh stores, hands it to `work`, and ends and removes everything again. */
export const withSubject = async <T>(
  { subject, backend, stores, options, receiverOnly = false }: Run,
  work: (
    running: RunningSubject & { secret: string; databaseUrl: string | null; pids: Record<string, number> },
  ) => Promise<T>,
): Promise<T> => {
  const dir = await mkdtemp(join(tmpdir(), 'sense-bench-'));
  const own = backend === null ? null : await stores.fresh(backend);
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  const profile = options.profileDir === null ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profileDir}`];
  let running: RunningSubject | null = null;
  try {
    running = await subject.start({
      stores: own,
      dir,
      secret,
      accounts: options.accounts,
      receiverOnly,
      nodeArgs: profile,
    });
    const pids = Object.fromEntries(running.processes.map(({ name, pid }) => [name, pid]));
    return await work({
      ...running,
      secret,
      databaseUrl: own?.databaseUrl ?? null,
      pids: { ...pids, ...own?.servers },
    });
  } finally {
    await Promise.all((running?.processes ?? []).map(({ stop }) => stop()));
    await own?.drop();
    await rm(dir, { recursive: true, force: true });
  }
};

/**
 * One subject under one load: `rate` requests a second, or as fast as it answers.
 * At a rate it waits after the end until all that was accepted is recorded: nothing may be missing.
 */
export const measureRun = (run: Run, rate: number | null): Promise<RunResult> =>
  withSubject(run, async ({ port, path, secret, databaseUrl, pids }) => {
    const { options, subject } = run;
    const seconds = (options.warmUpMs + options.windowMs) / 1000;
    const load = await startLoad({
      port,
      path,
      secret,
      connections: options.connections,
      accounts: options.accounts,
      prepare: Math.ceil((rate === null ? options.preparedPerSecond : rate + 50) * (seconds + 1)),
      warmUpMs: options.warmUpMs,
      windowMs: options.windowMs,
      rate,
    });
    const before = await readAll(pids);
    const result = await load.go();
    const after = await readAll(pids);

    const { relation } = subject;
    const stored = relation === null || databaseUrl === null ? null : { url: databaseUrl, relation };
    return {
      load: result,
      recordedInAll: stored && (await ask(stored.url, (client) => countAll(client, stored.relation))),
      recorded: stored && (await countRecorded(stored, result.from, result.to)),
      delays: stored && rate !== null ? await readDelays(stored, result) : null,
      processes: Object.keys(pids).map((name) => ({
        name,
        peakBytes: after[name]?.peak ?? Number.NaN,
        cpuSeconds: (after[name]?.cpuSeconds ?? 0) - (before[name]?.cpuSeconds ?? 0),
      })),
    };
  });

const readAll = async (pids: Record<string, number>) =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(pids).map(async ([name, pid]) => [name, await readProcess(pid)] as const),
    ),
  );
