import { createPostgresBackend, type PgPool, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { pino } from 'pino';
import { createInboxQueue } from '../../src/queue/create-inbox-queue.ts';
import { postgresAddress } from '../../src/queue/open-queue-pool.ts';
import { createInboxQueueSink } from '../../src/sinks/create-inbox-queue-sink.ts';
import { queueBackends } from '../helpers/stores.ts';
import { describeSink } from './sink-contract.ts';

const log = pino({ level: 'silent' });
const name = 'sense-inbox';

for (const backend of queueBackends) {
  describeSink(`inbox_queue on ${backend.kind}`, async () => {
    const url = await backend.url();
    const queue = createInboxQueue({ store: { kind: backend.kind, url }, name, log });
    const sink = createInboxQueueSink({
      add: (jobs) =>
        queue.addRecords(
          jobs.map(({ data: { principal, ...rest } }) => ({ ...rest, principal_id: principal.id })),
        ),
    });
    const pool = backend.kind === 'postgres' ? new Pool({ ...postgresAddress(url), max: 2 }) : null;
    const redis = backend.kind === 'redis' ? new Redis(url, { maxRetriesPerRequest: null }) : null;
    const reader = redis
      ? new Queue(name, { connection: redis })
      : new Queue(
          name,
          { connection: {} },
          (queueName) => createPostgresBackend(queueName, { connection: pool as unknown as PgPool }) as never,
        );
    return {
      sink,
      taken: async () => (await reader.getJobs(['waiting'])).map((job) => job.data as { record_id: string }),
      async close() {
        await reader.close();
        await queue.close();
        redis?.disconnect();
        await pool?.end();
      },
    };
  });
}
