import {
  assertSchemaCompatibility,
  LATEST_SCHEMA_VERSION,
  runMigrations,
  SchemaMigrationRequiredError,
} from 'bullmq';
import { Client } from 'pg';
import { bullmqSchema } from './open-queue-pool.ts';

/**
 * Brings BullMQ's schema up to what the installed version needs. A database that is current is only read, so that a
 * role without the right to create anything can run us. Not done through a queue's `migrate: true`: a queue remembers
 * a failed first try for the life of the process (bullmq 6.7.0, `PostgresConnection.waitUntilReady`).
 *
 * @throws what Postgres or BullMQ says, for instance that the schema belongs to a newer major version
 */
export const prepareBullmqSchema = async (url: string): Promise<void> => {
  const client = new Client({
    connectionString: url,
    application_name: 'hcp-sense-queue-migrate',
    connectionTimeoutMillis: 2000,
    query_timeout: 60_000,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    if ((await currentVersion(client)) < LATEST_SCHEMA_VERSION) await runMigrations(client, bullmqSchema);
  } finally {
    await client.end();
  }
};

const currentVersion = async (client: Client): Promise<number> => {
  try {
    return await assertSchemaCompatibility(client, bullmqSchema);
  } catch (error) {
    if (error instanceof SchemaMigrationRequiredError) return 0;
    throw error;
  }
};
