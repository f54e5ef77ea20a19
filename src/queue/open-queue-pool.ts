import { Pool } from 'pg';
import type { OutageLog } from './create-outage-log.ts';
import type { Side } from './open-redis.ts';

/** BullMQ's own schema; a pool that we hand to it has to be pinned there by us. */
export const bullmqSchema = 'bullmq';

const queryTimeoutMs: Readonly<Record<Side, number>> = { producer: 2000, consumer: 10_000 };

/**
 * One small pool for all queues of a process and side. We never let BullMQ take a LISTEN client out of it (see
 * `createJobListener`), so `max` bounds what is in use at once and nothing can starve.
 */
export const openQueuePool = (url: string, side: Side, max: number, outage: OutageLog): Pool => {
  const pool = new Pool({
    ...postgresAddress(url),
    application_name: `hcp-sense-queue-${side}`,
    max,
    connectionTimeoutMillis: 2000,
    query_timeout: queryTimeoutMs[side],
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  // An idle client that loses its connection emits `error`; unheard, that ends the process.
  pool.on('error', (error) => outage.failed(error));
  return pool;
};

/** Connection settings with the search path set. `options` of the URL would win over ours, so both are joined. */
export const postgresAddress = (url: string): { connectionString: string; options: string } => {
  const address = new URL(url);
  const own = address.searchParams.get('options');
  address.searchParams.delete('options');
  const searchPath = `-c search_path=${bullmqSchema}`;
  return { connectionString: address.href, options: own === null ? searchPath : `${own} ${searchPath}` };
};
