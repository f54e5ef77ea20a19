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

/** A throw-away cluster for one test run, with a migrated database `template_sense` to clone. Nothing in it is durable. */
export const startTestPostgres = async (): Promise<{ url: string; stop(): Promise<void> }> => {
  const owner = await choosePostgresOwner();
  const { nativeDir } = await preparePostgres({ owner, copyTo: join(tmpdir(), 'sense-test-postgres') });
  const directory = await mkdtemp(join(tmpdir(), 'sense-pg-'));
  await chmod(directory, 0o755);
  const dataDir = join(directory, 'data');
  const password = await initCluster({ nativeDir, dataDir, owner });
  const url = `postgres://postgres:${password}@127.0.0.1:${await findFreePort()}/postgres`;
  const server = await launchPostgres({
    nativeDir,
    dataDir,
    owner,
    url,
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: '300',
      shared_buffers: '64MB',
      autovacuum_naptime: '10s',
    },
  });
  try {
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query('create database template_sense');
    const template = new URL(url);
    template.pathname = '/template_sense';
    await migrate(template.href, pino({ level: 'silent' }));
    await prepareBullmqSchema(template.href);
    await client.end();
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    url,
    async stop() {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
