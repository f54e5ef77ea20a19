import type { Command } from 'commander';
import type { Pool } from 'pg';
import type { LoadedConfig } from '../config/loaded-config.ts';
import { CodedError } from '../domain/errors.ts';
import { createLogger } from '../observe/create-logger.ts';
import { createPool } from '../store/create-pool.ts';
import { isDatabaseAway } from '../store/is-database-away.ts';
import { migrate } from '../store/migrate.ts';
import { loadConfig } from './load-config.ts';
import { withDatabase } from './with-database.ts';

/**
 * Does one thing with the tables of the configured database, which are made where they are missing: a directory can be
 * applied before the first start. Commands that go this way need no token: who may read the configuration and reach the
 * database is the operator.
 * @throws DATABASE_UNREACHABLE, and what reading the configuration throws
 */
export const openDatabase = async <Result>(
  command: Command,
  work: (parts: { pool: Pool; loaded: LoadedConfig }) => Promise<Result>,
): Promise<Result> => {
  const loaded = await loadConfig(command);
  const log = createLogger('warn');
  return withDatabase(loaded, log, async (url) => {
    await migrate(url, log);
    const pool = createPool(url, { log, max: 1, applicationName: `hcp-sense ${command.name()}` });
    try {
      return await work({ pool, loaded });
    } catch (cause) {
      if (!(cause instanceof Error) || !isDatabaseAway(cause)) throw cause;
      throw new CodedError('DATABASE_UNREACHABLE', `Postgres does not answer (${cause.message})`, { cause });
    } finally {
      await pool.end();
    }
  });
};
