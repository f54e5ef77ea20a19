import { join } from 'node:path';
import { runner } from 'node-pg-migrate';
import { Client } from 'pg';
import type { Logger } from 'pino';
import { CodedError } from '../domain/errors.ts';
import { findPackageRoot } from './find-package-root.ts';

/** Ours, so that starters wait for each other; spells `HCPS`. */
const MIGRATION_LOCK = 0x48435053;

/**
 * Brings the tables of schema `sense` up to date. Processes that start together wait in line; the later ones find nothing
 * to do. (BullMQ's schema, where Postgres is the queue too, is `prepareBullmqSchema` of src/queue.)
 *
 * @returns the names of the migrations that were applied
 * @throws DATABASE_UNREACHABLE where no connection can be made
 */
export const migrate = async (url: string, log: Logger): Promise<string[]> => {
  const client = new Client({
    connectionString: url,
    application_name: 'hcp-sense migrate',
    connectionTimeoutMillis: 5_000,
  });
  client.on('error', (error) => log.warn({ err: error }, 'database.connection_lost'));
  try {
    await client.connect();
  } catch (error) {
    const detail = error instanceof Error ? error.message || String(error) : String(error);
    throw new CodedError('DATABASE_UNREACHABLE', `Postgres does not answer (${detail})`, { cause: error });
  }
  try {
    await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    const applied = await runner({
      dbClient: client,
      dir: join(findPackageRoot(), 'migrations'),
      direction: 'up',
      schema: 'sense',
      migrationsTable: 'migrations',
      createSchema: true,
      checkOrder: true,
      // The runner's own lock fails at once where another holds it; we hold ours.
      noLock: true,
      logger: {
        debug: (message) => log.debug(message),
        info: (message) => log.debug(message),
        warn: (message) => log.warn(message),
        error: (message) => log.error(message),
      },
    });
    const names = applied.map(({ name }) => name);
    if (names.length > 0) log.info({ migrations: names }, 'database.migrated');
    return names;
  } finally {
    // Ends the session, and with it the lock.
    await client.end().catch(() => undefined);
  }
};
