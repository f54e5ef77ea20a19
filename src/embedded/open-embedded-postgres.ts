import type { Logger } from 'pino';
import { attachEmbeddedPostgres } from './attach-embedded-postgres.ts';
import type { EmbeddedPostgres } from './embedded-postgres.ts';
import { startEmbeddedPostgres } from './start-embedded-postgres.ts';

/**
 * The embedded Postgres at a place: the one that runs already, or else started for as long as we need it. Of two that
 * open at once one starts it and the other shares it.
 *
 * @throws EMBEDDED_POSTGRES_FAILED
 */
export const openEmbeddedPostgres = async (options: {
  /** Where its data lie, `.sense/postgres`. */
  dir: string;
  log: Logger;
  /** Where it goes when Postgres' user cannot enter that place; only as root. */
  spareRoot?: string;
}): Promise<EmbeddedPostgres> => {
  const attachOrStart = async () =>
    (await attachEmbeddedPostgres(options)) ?? (await startEmbeddedPostgres(options));
  try {
    return await attachOrStart();
  } catch {
    // Lost the race for the cluster's lock file, perhaps: the second look waits for the winner. A lasting fault recurs.
    return attachOrStart();
  }
};
