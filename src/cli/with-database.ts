import type { Logger } from 'pino';
import type { LoadedConfig } from '../config/loaded-config.ts';
import { openEmbeddedPostgres } from '../embedded/open-embedded-postgres.ts';

/**
 * Does one thing with the database of the configuration. An embedded one that runs already is shared, else it is
 * started for as long as the work takes.
 */
export const withDatabase = async <Result>(
  { stores: { database } }: LoadedConfig,
  log: Logger,
  work: (url: string) => Promise<Result>,
): Promise<Result> => {
  if (database.kind === 'postgres') return work(database.url);
  const embedded = await openEmbeddedPostgres({ dir: database.dir, log });
  try {
    return await work(embedded.url);
  } finally {
    await embedded.stop();
  }
};
