import { randomBytes } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { onTestFinished } from 'vitest';
import type { Announcement } from '../../src/domain/announcement.ts';
import { describeProcess } from '../../src/embedded/describe-process.ts';
import { createAnnouncementReader } from '../../src/ingress/create-announcement-reader.ts';
import { createKeeper } from '../../src/process/create-keeper.ts';
import { createLineTaker, type LineFact } from '../../src/process/create-line-taker.ts';
import { createProcessSource, type ProcessTimes } from '../../src/process/create-process-source.ts';
import { createRateGate } from '../../src/process/create-rate-gate.ts';
import { runFile } from '../../src/process/run-file.ts';

type Options = {
  /** JavaScript that `node -e` runs; or a whole command. */
  script?: string;
  command?: readonly string[];
  env?: Record<string, string>;
  maxLine?: number;
  times?: Partial<ProcessTimes>;
  delayMs?: (badRuns: number) => number;
  /** Stands in for the queue; left out: it takes everything. */
  enqueue?: (announcements: readonly Announcement[]) => Promise<void>;
  lock?: Parameters<typeof createProcessSource>[0]['lock'];
};

/** A process source of pack `watcher` on real child processes, with a list in the place of the queue. */
export const startSource = async (options: Options) => {
  const dir = await realpath(await mkdtemp(join(tmpdir(), 'sense-process-')));
  const lines: Record<string, unknown>[] = [];
  const log = pino(
    { level: 'trace' },
    new Writable({
      write(chunk, _, done) {
        lines.push(JSON.parse(String(chunk)));
        done();
      },
    }),
  );
  const taken: Announcement[] = [];
  const facts: LineFact[] = [];
  const keeper = createKeeper(log);
  const id = `ws-${randomBytes(4).toString('hex')}`;
  const read = createAnnouncementReader(
    { id, pack: 'watcher', binding: 'bnd_ws', cwd: dir },
    { echoes: false },
  );
  const faults = createRateGate({ burst: 100, perMinute: 100, clock: Date.now });
  const maxLine = options.maxLine ?? 1024 * 1024;
  const source = createProcessSource({
    settings: {
      id,
      command: options.command ?? [process.execPath, '-e', options.script ?? ''],
      cwd: dir,
      env: { ...options.env, SENSE_TEST_RUN: process.env.SENSE_TEST_RUN ?? '' },
      maxLine,
    },
    dir,
    path: process.env.PATH ?? '',
    takerFor: (run) =>
      createLineTaker({
        source: id,
        pack: 'watcher',
        run,
        maxLine,
        read,
        isLocal: (ref) => ref.startsWith('file.'),
        deliver: async (announcements, giveUp) => {
          while (!giveUp.aborted) {
            try {
              await options.enqueue?.(announcements);
              taken.push(...announcements);
              return true;
            } catch {
              await new Promise((resolve) => setTimeout(resolve, 20));
            }
          }
          return false;
        },
        faults,
        onLine: (fact) => facts.push(fact),
        log,
      }),
    lock:
      options.lock ??
      (async () => ({ gone: new Promise<void>(() => undefined), release: async () => undefined })),
    keeper,
    file: runFile(join(dir, 'run'), id),
    beganOf: async (pid) => (await describeProcess(pid))?.began ?? null,
    log,
    times: { graceMs: 5_000, goodRunMs: 60_000, lockEveryMs: 50, ...options.times },
    delayMs: options.delayMs ?? (() => 20),
  });
  let closed: Promise<void> | null = null;
  const close = () => {
    closed ??= source.close().then(keeper.close);
    return closed;
  };
  onTestFinished(async () => {
    await close();
    await rm(dir, { recursive: true, force: true });
  });
  return {
    id,
    dir,
    taken,
    facts,
    logs: lines,
    said: (msg: string) => lines.filter((line) => line.msg === msg),
    state: source.state,
    close,
  };
};
