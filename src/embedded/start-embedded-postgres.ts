import type { Logger } from 'pino';
import { CodedError } from '../domain/errors.ts';
import { attachEmbeddedPostgres } from './attach-embedded-postgres.ts';
import { describeProcess } from './describe-process.ts';
import type { EmbeddedPostgres } from './embedded-postgres.ts';
import { endPreviousPostgres } from './end-previous-postgres.ts';
import { findFreePort } from './find-free-port.ts';
import { initCluster } from './init-cluster.ts';
import { launchPostgres, type RunningPostgres } from './launch-postgres.ts';
import { type PostgresPlace, placePostgres } from './place-postgres.ts';
import { stateFile } from './state-file.ts';

const portAttempts = 3;

const settings = {
  timezone: 'UTC',
  max_connections: '200',
  // Its log, a week of it, in <dataDir>/log: a pipe of ours would be gone with us when it tells why it stopped.
  logging_collector: 'on',
  log_directory: 'log',
  log_filename: 'postgres-%a.log',
  log_truncate_on_rotation: 'on',
  log_rotation_size: '0',
  log_timezone: 'UTC',
};

/**
 * Starts the embedded Postgres at a place, making it on the first start. What it acknowledges is on disk
 * (fsync on). It ends with this process, however that ends.
 *
 * @throws EMBEDDED_POSTGRES_FAILED also where another live process runs it: that one is left alone
 */
export const startEmbeddedPostgres = async (options: {
  /** Where its data lie, `.sense/postgres`. */
  dir: string;
  log: Logger;
  /** Where it goes when Postgres' user cannot enter that place; only as root. */
  spareRoot?: string;
}): Promise<EmbeddedPostgres> => {
  const { dir, log } = options;
  const isHeld = async () => (await attachEmbeddedPostgres({ dir })) !== null;
  const refuse = () =>
    new CodedError('EMBEDDED_POSTGRES_FAILED', `Another process runs the Postgres at ${dir}`);
  if (await isHeld()) throw refuse();
  const place = await placePostgres(dir, options.spareRoot);
  const password = await initCluster(place);
  if ((await endPreviousPostgres(place.dataDir, isHeld)) === 'held') throw refuse();
  const { url, server } = await launchOnFreePort(place, password);

  const state = stateFile(dir);
  const { dataDir, movedBecause } = place;
  const began = (await describeProcess(process.pid))?.began ?? '';
  await state.write({ url, dataDir, movedBecause, starter: { pid: process.pid, began } });
  log.info({ pid: server.pid, dataDir }, 'embedded_postgres.started');
  if (movedBecause) log.warn({ dataDir }, movedBecause);

  let isStopping = false;
  void server.ended.then(() => {
    if (!isStopping) log.error({ dataDir }, 'embedded_postgres.ended: its log is in the data directory');
  });
  return {
    url,
    dataDir,
    movedBecause,
    async stop() {
      isStopping = true;
      await server.stop();
      await state.remove();
    },
  };
};

const launchOnFreePort = async (
  place: PostgresPlace,
  password: string,
): Promise<{ url: string; server: RunningPostgres }> => {
  for (let attempt = 1; ; attempt += 1) {
    const url = `postgres://postgres:${password}@127.0.0.1:${await findFreePort()}/postgres`;
    try {
      return { url, server: await launchPostgres({ ...place, url, settings }) };
    } catch (error) {
      const wasTaken = error instanceof Error && error.message.includes('Address already in use');
      if (!wasTaken || attempt === portAttempts) throw error;
    }
  }
};
