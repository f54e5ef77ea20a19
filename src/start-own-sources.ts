import { join } from 'node:path';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { LoadedConfig } from './config/loaded-config.ts';
import type { SourceConfig } from './config/schema.ts';
import type { Announcement } from './domain/announcement.ts';
import { describeProcess } from './embedded/describe-process.ts';
import { createAnnouncementReader } from './ingress/create-announcement-reader.ts';
import { watchProcesses } from './observe/watch-processes.ts';
import { createKeeper } from './process/create-keeper.ts';
import { createLineTaker } from './process/create-line-taker.ts';
import { createProcessSource, type ProcessState } from './process/create-process-source.ts';
import { createRateGate } from './process/create-rate-gate.ts';
import { runFile } from './process/run-file.ts';
import { createAnnounceConsumer } from './queue/create-announce-consumer.ts';
import { insist } from './queue/insist.ts';
import type { QueueStore } from './queue/queue-store-of.ts';
import { takeSourceLock } from './store/take-source-lock.ts';

type QueueSource = Extract<SourceConfig, { type: 'queue' }>;
type ProcessSource = Extract<SourceConfig, { type: 'process' }>;

type Parts = {
  /** False in a role that takes nothing in. */
  runs: boolean;
  loaded: LoadedConfig;
  store: QueueStore;
  pool: Pool;
  events: { enqueue: (announcements: readonly Announcement[]) => Promise<void> };
  metrics: {
    registry: Registry;
    /** Each job and each line counts as a delivery. */
    onDelivery: (fact: { source: string; status: number; code: string | null }) => void;
  };
  log: Logger;
};

/** Bad lines of a source that are logged and explained one by one; the rest is counted. */
const badLines = { burst: 100, perMinute: 100 };

/** Starts the ways in that nobody calls: queues whose jobs we take, and processes that we run. A paused one is not started. */
export const startOwnSources = (parts: Parts) => {
  const { runs, loaded, metrics } = parts;
  const live = runs ? loaded.config.sources.filter((source) => 'paused' in source && !source.paused) : [];
  const queues = live.filter((source) => source.type === 'queue').map((source) => startQueue(source, parts));
  const processes = startProcesses(
    live.filter((source) => source.type === 'process'),
    parts,
  );
  watchProcesses(metrics.registry, processes.states);
  let closed: Promise<void> | null = null;
  return {
    processes: processes.states,
    close(): Promise<void> {
      closed ??= Promise.all([processes.close(), ...queues.map(({ close }) => close())]).then(
        () => undefined,
      );
      return closed;
    },
  };
};

const startQueue = (source: QueueSource, { store, events, metrics, log }: Parts) =>
  createAnnounceConsumer({
    store,
    source: source.id,
    queue: source.queue,
    prefix: source.prefix,
    read: createAnnouncementReader(source, { echoes: true }),
    enqueue: events.enqueue,
    onJob: metrics.onDelivery,
    log,
  });

const startProcesses = (sources: readonly ProcessSource[], parts: Parts) => {
  if (sources.length === 0) return { states: (): ProcessState[] => [], close: async () => undefined };
  const { loaded, pool, events, metrics, log } = parts;
  const keeper = createKeeper(log);

  const started = sources.map((source) => {
    const own = log.child({ source: source.id });
    const stimuli = loaded.packs.get(source.pack)?.pack.stimuli;
    const deliver = async (announcements: readonly Announcement[], giveUp: AbortSignal): Promise<boolean> => {
      const outcome = await insist(
        () => events.enqueue(announcements),
        giveUp,
        (error, failures) => {
          const why = error instanceof Error ? error.message : String(error);
          if (failures === 1) own.warn({ why }, 'process.waits_for_queue');
        },
      );
      return outcome.done;
    };
    const taker = {
      source: source.id,
      pack: source.pack,
      maxLine: source.max_line,
      read: createAnnouncementReader(source, { echoes: false }),
      isLocal: (ref: string) => stimuli?.get(ref)?.land === 'local',
      deliver,
      faults: createRateGate({ ...badLines, clock: Date.now }),
      onLine: metrics.onDelivery,
      log: own,
    };
    return createProcessSource({
      settings: {
        id: source.id,
        command: source.command,
        cwd: source.cwd ?? loaded.dir,
        env: environmentOf(source.env),
        maxLine: source.max_line,
      },
      dir: loaded.dir,
      path: process.env.PATH ?? '',
      takerFor: (run) => createLineTaker({ ...taker, run }),
      lock: () => takeSourceLock(pool, source.id),
      keeper,
      file: runFile(join(loaded.home, 'run'), source.id),
      beganOf: async (pid) => (await describeProcess(pid))?.began ?? null,
      log,
    });
  });

  return {
    states: (): ProcessState[] => started.map(({ state }) => state()),
    async close(): Promise<void> {
      await Promise.all(started.map(({ close }) => close()));
      await keeper.close();
    },
  };
};

/** What of our environment a process is given; a name that is not set is not given. */
const environmentOf = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
