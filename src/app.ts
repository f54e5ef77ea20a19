import { hostname } from 'node:os';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { createApiRoutes } from './api/create-api-routes.ts';
import { createOpsRoutes } from './api/create-ops-routes.ts';
import { describeConfig } from './config/describe-config.ts';
import type { LoadedConfig, Role } from './config/loaded-config.ts';
import { createGates } from './create-gates.ts';
import { createLiveSecrets } from './create-live-secrets.ts';
import { createReleasers, type Releasers } from './create-releasers.ts';
import { CodedError } from './domain/errors.ts';
import type { EmbeddedPostgres } from './embedded/embedded-postgres.ts';
import { openEmbeddedPostgres } from './embedded/open-embedded-postgres.ts';
import { createExecClient } from './exec-client/create-exec-client.ts';
import { createRemoteDriver } from './exec-client/create-remote-driver.ts';
import type { ExecDriver } from './exec-client/driver.ts';
import { createIngressRoutes } from './ingress/create-ingress-routes.ts';
import { createServer } from './ingress/create-server.ts';
import { openServer } from './ingress/open-server.ts';
import { createMetrics } from './observe/create-metrics.ts';
import { createReadinessCheck } from './observe/create-readiness-check.ts';
import { describePartitions } from './observe/describe-partitions.ts';
import { createBatchProcessor } from './pipeline/create-batch-processor.ts';
import { createBatchRecorder } from './pipeline/create-batch-recorder.ts';
import { createSweeper } from './pipeline/create-sweeper.ts';
import { createEventQueue } from './queue/create-event-queue.ts';
import { createEventWorkers } from './queue/create-event-workers.ts';
import { createInboxQueue } from './queue/create-inbox-queue.ts';
import { createOfferQueue } from './queue/create-offer-queue.ts';
import { createOfferWorker } from './queue/create-offer-worker.ts';
import type { QueueStore } from './queue/queue-store-of.ts';
import { createInboxQueueSink } from './sinks/create-inbox-queue-sink.ts';
import { createSurfacer } from './sinks/create-surfacer.ts';
import { surfacingId } from './sinks/surfacing-id.ts';
import { startOwnSources } from './start-own-sources.ts';
import { startSourceWatch } from './start-source-watch.ts';
import { buryBatch } from './store/bury-batch.ts';
import { createPool } from './store/create-pool.ts';
import { migrate } from './store/migrate.ts';
import { offerDueWakes } from './store/offer-due-wakes.ts';
import { offerPendingSurfacings } from './store/offer-pending-surfacings.ts';
import { purgeExpired } from './store/purge-expired.ts';
import { writeHeartbeat } from './store/write-heartbeat.ts';
import { createWakeRunner } from './wake/create-wake-runner.ts';

/** The sweeper's period; docs/operate.md states it. */
const SWEEP_MS = 30_000;
/** Outbox rows that one round of a sweeper offers at most. */
const SWEEP_ROWS = 1_000;
/** A partition that has work and did not move for this long makes us not ready. */
const STUCK_MS = 60_000;
const PROBE_MS = 2_000;

type AppOptions = {
  loaded: LoadedConfig;
  role: Role;
  log: Logger;
  /** Instead of `http.port`. */
  port?: number | undefined;
  /** An in-process runtime, for products that embed us; instead of `execute.url`. */
  driver?: ExecDriver | undefined;
};

export type App = {
  /** Where it listens, for instance `http://127.0.0.1:8787`. */
  url: string;
  /** The Postgres that was started for it, if it was. */
  embedded: Pick<EmbeddedPostgres, 'dataDir' | 'movedBecause'> | null;
  pool: Pool;
  /** Reads the secrets of sources and tokens anew; where one can't be used all stay as they are, and the log says why. */
  reloadSecrets: () => Promise<void>;
  /** Stops being ready, finishes what is in hand, ends everything; within ten seconds. */
  stop: () => Promise<void>;
};

/**
 * The only wiring: makes every part that the role needs, hands each the functions it works with, and returns when the
 * process can take deliveries.
 *
 * @throws CodedError for everything that keeps it from starting; what had been started is ended again
 */
export const startApp = async (options: AppOptions): Promise<App> => {
  const releasers = createReleasers(options.log);
  try {
    return await wire(options, releasers);
  } catch (error) {
    await releasers.releaseAll();
    throw error;
  }
};

const wire = async ({ loaded, role, log, port, driver }: AppOptions, releasers: Releasers): Promise<App> => {
  const { config, packs, wakeRules } = loaded;
  const plays = (part: Role): boolean => role === 'all' || role === part;
  let stopping = false;
  log.info({ role, ...describeConfig(loaded) }, 'process.starting');

  // Stores
  const embedded =
    loaded.stores.database.kind === 'embedded'
      ? await openEmbeddedPostgres({ dir: loaded.stores.database.dir, log })
      : null;
  if (embedded !== null) releasers.add('embedded postgres', 9_000, embedded.stop);
  const databaseUrl =
    loaded.stores.database.kind === 'embedded' ? (embedded?.url ?? '') : loaded.stores.database.url;
  await migrate(databaseUrl, log);
  const pool = createPool(databaseUrl, {
    log,
    applicationName: `hcp-sense ${role}`,
    // A process source keeps one for its lock.
    max: config.queue.partitions + 6 + config.sources.filter(({ type }) => type === 'process').length,
  });
  releasers.add('pool', 2_000, () => pool.end());

  // Queues
  const store: QueueStore =
    loaded.stores.queue.kind === 'embedded' ? { kind: 'postgres', url: databaseUrl } : loaded.stores.queue;
  const { partitions, max_waiting: maxWaiting } = config.queue;
  const events = createEventQueue({ store, partitions, maxWaiting, log });
  releasers.add('event queue', 2_000, events.close);
  const wakeOffers = createOfferQueue({ store, name: 'wake', log });
  releasers.add('wake offers', 1_000, wakeOffers.close);
  const surfaceOffers = createOfferQueue({ store, name: 'surface', log });
  releasers.add('surface offers', 1_000, surfaceOffers.close);

  const metrics = createMetrics({ depth: events.depth, packs: new Set(packs.keys()) });
  const sinkNames = config.sinks.inbox_queue === undefined ? [] : ['inbox_queue'];

  // Record
  const processor = createBatchProcessor({
    record: createBatchRecorder({ pool, packs, wakeRules, sinks: sinkNames, log }).record,
    offerWakes: wakeOffers.offer,
    offerSurfacings: (rows) => surfaceOffers.offer(rows.map(({ record, sink }) => surfacingId(record, sink))),
    log,
    onRecorded: metrics.onRecorded,
  });
  releasers.add('offers', 3_000, processor.settled);
  const workers = plays('worker')
    ? createEventWorkers({
        store,
        partitions,
        log,
        handle: processor.handle,
        bury: (batch, reason) => buryBatch(pool, batch, reason),
      })
    : null;
  if (workers !== null) {
    releasers.add('workers', 4_000, workers.close);
    const sweeper = createSweeper({
      periodMs: SWEEP_MS,
      log,
      tasks: {
        wakes: async () => wakeOffers.offer(await offerDueWakes(pool, SWEEP_ROWS)),
        surfacings: async () =>
          surfaceOffers.offer(await offerPendingSurfacings(pool, SWEEP_ROWS, { sinks: sinkNames })),
        purge: async () => {
          while ((await purgeExpired(pool, Date.now(), config.retention)) > 0 && !stopping);
        },
      },
    });
    releasers.add('sweeper', 2_000, sweeper.stop);
  }

  // Surface
  if (plays('fanout') && config.sinks.inbox_queue !== undefined) {
    const inboxQueue = createInboxQueue({ store, name: config.sinks.inbox_queue.name, log });
    releasers.add('inbox queue', 1_000, inboxQueue.close);
    const surfacer = createSurfacer({
      pool,
      sinks: [
        createInboxQueueSink({
          add: (jobs) =>
            inboxQueue.addRecords(
              jobs.map(({ data: { principal, ...rest } }) => ({ ...rest, principal_id: principal.id })),
            ),
        }),
      ],
      log,
    });
    const surfaceWorker = createOfferWorker({
      store,
      name: 'surface',
      handle: surfacer.surface,
      concurrency: 4,
      log,
    });
    releasers.add('surface worker', 2_000, surfaceWorker.close);
  }

  // Wake
  if (plays('wake') && wakeRules.length > 0) {
    const client = createExecClient({
      driver: driver ?? remoteDriver(loaded),
      grants: config.execute?.grants ?? [],
      packs,
      principal: config.execute?.principal ?? { id: 'sense-wake', kind: 'service' },
      log,
    });
    const runner = createWakeRunner({
      pool,
      execute: client.execute,
      rules: wakeRules,
      offer: wakeOffers.offer,
      log,
      onOutcome: metrics.onWake,
    });
    const wakeWorker = createOfferWorker({ store, name: 'wake', handle: runner.run, concurrency: 4, log });
    releasers.add('wake worker', 4_000, wakeWorker.close);
  }

  // Queues and processes that nobody calls
  const watch = startSourceWatch({ runs: plays('ingress'), config, pool, metrics, log });
  releasers.add('source watch', 1_000, watch.close);
  const { onDelivery } = watch;
  const counted = { registry: metrics.registry, onDelivery };
  const own = startOwnSources({ runs: plays('ingress'), loaded, store, pool, events, metrics: counted, log });
  releasers.add('own sources', 9_000, own.close);

  // HTTP, last to start and first to stop
  const server = createServer({
    bodyLimit: config.http.body_limit,
    trustedProxies: config.http.trusted_proxies,
    log,
  });
  const readiness = createReadinessCheck({
    isStopping: () => stopping,
    deadlineMs: PROBE_MS,
    probes: {
      database: async () => {
        await writeHeartbeat(pool, `${hostname()} ${role}`);
        return [];
      },
      queue: async () => (await events.probe()).warnings,
    },
    partitions: async () =>
      describePartitions(await events.depth(), workers?.lastMoved() ?? [], Date.now(), STUCK_MS),
    processes: own.processes,
    sources: watch.states,
  });
  await server.register(createOpsRoutes({ readiness, metrics: metrics.registry }));
  const live = plays('ingress') ? await createLiveSecrets(loaded, log) : null;
  if (live !== null) {
    const { gates, close: closeGates } = createGates({ config, store, log });
    releasers.add('rate limits', 1_000, closeGates);
    await server.register(
      createIngressRoutes({
        sources: live.sources,
        gates,
        enqueue: events.enqueue,
        clock: Date.now,
        log,
        onDelivery,
        isStopping: () => stopping,
      }),
    );
    await server.register(
      createApiRoutes({
        pool,
        packs,
        tenant: config.tenant,
        identify: live.identify,
        replay: (announcement) => events.enqueue([announcement]),
        log,
      }),
    );
  }
  const { url, close } = await openServer(server, config.http.host, port ?? config.http.port);
  releasers.add('http', 4_000, close);
  log.info({ url, role }, 'process.ready');

  return {
    url,
    embedded,
    pool,
    reloadSecrets: async () => live?.reload(),
    async stop() {
      stopping = true;
      // Processes have five seconds to end; requests in hand end meanwhile.
      void own.close();
      await releasers.releaseAll();
    },
  };
};

const remoteDriver = ({ config, secrets }: LoadedConfig): ExecDriver => {
  if (config.execute?.url === undefined || secrets.execute === null) {
    throw new CodedError(
      'CONFIG_INVALID',
      'execute.url and execute.token are missing, and no driver is embedded',
    );
  }
  return createRemoteDriver({ url: config.execute.url, token: secrets.execute });
};
