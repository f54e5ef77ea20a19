import { Command } from 'commander';
import type { Logger } from 'pino';
import { describeConfig } from '../config/describe-config.ts';
import type { LoadedConfig } from '../config/loaded-config.ts';
import { CodedError, type ErrorCode } from '../domain/errors.ts';
import { findHookRisks } from '../ingress/find-hook-risks.ts';
import { createLogger } from '../observe/create-logger.ts';
import { inspectRedis, type RedisInspection } from '../queue/inspect-redis.ts';
import { createPool } from '../store/create-pool.ts';
import { inspectPostgres, type PostgresInspection } from '../store/inspect-postgres.ts';
import { describeDurability } from './describe-durability.ts';
import { loadConfig } from './load-config.ts';
import { withDatabase } from './with-database.ts';

type StoreReport =
  | {
      reachable: true;
      kind: 'redis' | 'postgres';
      survives: string;
      warnings: readonly string[];
      facts: RedisInspection | PostgresInspection;
    }
  | { reachable: false; code: ErrorCode; message: string; warnings: readonly string[] };

/** A store that is away is part of the answer: the other one is still looked at. */
const orAway = async (look: () => Promise<StoreReport>, code: ErrorCode): Promise<StoreReport> => {
  try {
    return await look();
  } catch (error) {
    const fault = error instanceof CodedError ? error : new CodedError(code, undefined, { cause: error });
    return { reachable: false, code: fault.code, message: fault.message, warnings: [fault.message] };
  }
};

const lookAtPostgres = (url: string, log: Logger, code: ErrorCode): Promise<StoreReport> =>
  orAway(async () => {
    const pool = createPool(url, { log, max: 1, applicationName: 'hcp-sense doctor' });
    try {
      const facts = await inspectPostgres(pool);
      return { reachable: true, kind: 'postgres', facts, ...describeDurability({ kind: 'postgres', facts }) };
    } finally {
      await pool.end();
    }
  }, code);

const lookAtRedis = (url: string): Promise<StoreReport> =>
  orAway(async () => {
    const facts = await inspectRedis(url);
    return { reachable: true, kind: 'redis', facts, ...describeDurability({ kind: 'redis', facts }) };
  }, 'QUEUE_UNREACHABLE');

const look = async (
  loaded: LoadedConfig,
  log: Logger,
): Promise<Record<'queue' | 'database', StoreReport>> => {
  const database = await orAway(
    () => withDatabase(loaded, log, (url) => lookAtPostgres(url, log, 'DATABASE_UNREACHABLE')),
    'DATABASE_UNREACHABLE',
  );
  const { queue } = loaded.stores;
  if (queue.kind === 'embedded') return { queue: database, database };
  if (queue.kind === 'redis') return { queue: await lookAtRedis(queue.url), database };
  return { queue: await lookAtPostgres(queue.url, log, 'QUEUE_UNREACHABLE'), database };
};

/** Sources whose vendor would stop calling for what their configuration makes us answer. */
const lookAtHooks = ({ config }: LoadedConfig): string[] =>
  config.sources.flatMap((source) =>
    source.type === 'vendor' ? findHookRisks(source, config.http.public_url ?? null) : [],
  );

const version = (report: StoreReport): string => {
  if (!report.reachable) return 'does not answer';
  return 'server' in report.facts
    ? `${report.facts.server} ${report.facts.version}`
    : `postgres ${report.facts.version}`;
};

/** `hcp-sense doctor`: what a 2xx is worth on the stores in use; exit code 1 where there is something to warn of. */
export const doctorCommand = (): Command =>
  new Command('doctor')
    .summary('say what a 2xx is worth on the stores in use')
    .description(
      'Looks at the queue and the database and says what an acknowledged delivery and a record survive, with versions and\nthe settings that decide it. Warns as well of sources that their vendor would switch off for what we would answer.\nExit code 1 if there is anything to warn of.',
    )
    .option('-c, --config <file>', 'configuration (default: SENSE_CONFIG, else ./sense.yaml)')
    .option('--json', 'print { ok, queue, database, warnings }')
    .action(async (options: { json?: boolean }, command: Command) => {
      const loaded = await loadConfig(command);
      const reports = await look(loaded, createLogger('error'));
      const described = describeConfig(loaded);
      const where = { queue: described.queue.store, database: described.database };
      const warnings = [
        ...new Set([...reports.queue.warnings, ...reports.database.warnings, ...lookAtHooks(loaded)]),
      ];
      const ok = warnings.length === 0;
      if (!ok) process.exitCode = 1;
      if (options.json) {
        const told = (name: 'queue' | 'database') => ({ where: where[name], ...reports[name] });
        console.log(
          JSON.stringify({ ok, queue: told('queue'), database: told('database'), warnings }, null, 2),
        );
        return;
      }
      const means = {
        queue: 'A 2xx means that the delivery is in the queue',
        database: 'A record, once committed',
      };
      for (const name of ['queue', 'database'] as const) {
        const report = reports[name];
        console.log(`${name.padEnd(9)} ${version(report)}, ${where[name]}`);
        if (report.reachable) console.log(`          ${means[name]}: ${report.survives}.`);
      }
      for (const warning of warnings) console.log(`WARNING   ${warning}`);
      if (ok) console.log('ok        no setting loses more than is said here');
    });
