import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { pino } from 'pino';
import { choosePostgresOwner } from '../../src/embedded/choose-postgres-owner.ts';
import { findFreePort } from '../../src/embedded/find-free-port.ts';
import { initCluster } from '../../src/embedded/init-cluster.ts';
import { launchPostgres } from '../../src/embedded/launch-postgres.ts';
import { preparePostgres } from '../../src/embedded/prepare-postgres.ts';
import { prepareBullmqSchema } from '../../src/queue/prepare-bullmq-schema.ts';
import { migrate } from '../../src/store/migrate.ts';
import { startRedis } from './start-redis.ts';

export type Backend = 'redis' | 'postgres';

/** What one run has for itself: an empty database and an empty queue, and the process ids of their servers. */
export type RunStores = {
  databaseUrl: string;
  queueUrl: string;
  servers: Record<string, number>;
  drop(): Promise<void>;
};

export type BenchStores = { fresh(backend: Backend): Promise<RunStores>; stop(): Promise<void> };

/**
 * Durable in every setting that decides it: Postgres with fsync, full pages and synchronous commit, Redis with its
 * append-only file synced every second. The WAL is given room so that no checkpoint falls into one subject's window
 * and not into another's; each run begins right after one.
 */
const postgresSettings = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  shared_buffers: '256MB',
  max_wal_size: '8GB',
  checkpoint_timeout: '1h',
  max_connections: '200',
  // Lets a row tell when its transaction was committed.
  track_commit_timestamp: 'on',
  timezone: 'UTC',
};
const redisSettings = ['--appendonly', 'yes', '--appendfsync', 'everysec'];

const byHandTables = `
create schema by_hand;
create table by_hand.events (
  id          text primary key,
  account     text not null,
  ref         text not null,
  occurred_at timestamptz,
  received_at timestamptz not null,
  recorded_at timestamptz not null default clock_timestamp(),
  data        jsonb not null
)`;

/** One Postgres for the whole bench, with a template that holds everybody's tables; a Redis of its own for each run. */
export const startStores = async (): Promise<BenchStores> => {
  const owner = await choosePostgresOwner();
  const { nativeDir } = await preparePostgres({ owner, copyTo: join(tmpdir(), 'sense-bench-postgres') });
  const directory = await mkdtemp(join(tmpdir(), 'sense-bench-pg-'));
  await chmod(directory, 0o755);
  const dataDir = join(directory, 'data');
  const password = await initCluster({ nativeDir, dataDir, owner });
  const url = `postgres://postgres:${password}@127.0.0.1:${await findFreePort()}/postgres`;
  const server = await launchPostgres({ nativeDir, dataDir, owner, url, settings: postgresSettings });
  const urlOf = (database: string): string => Object.assign(new URL(url), { pathname: `/${database}` }).href;
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  };

  try {
    await query(url, 'create database template_bench');
    const template = urlOf('template_bench');
    await migrate(template, pino({ level: 'silent' }));
    await prepareBullmqSchema(template);
    await query(template, byHandTables);
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    async fresh(backend) {
      const name = `run_${randomBytes(6).toString('hex')}`;
      await query(url, `create database ${name} template template_bench`);
      await query(url, 'checkpoint');
      const redis = backend === 'redis' ? await startRedis(redisSettings) : null;
      return {
        databaseUrl: urlOf(name),
        queueUrl: redis?.url ?? urlOf(name),
        servers: { postgres: server.pid, ...(redis && { redis: redis.pid }) },
        async drop() {
          await redis?.stop();
          await query(url, `drop database ${name} with (force)`);
        },
      };
    },
    stop,
  };
};

const query = async (url: string, sql: string): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
};
