// Announces through the internal queue, as any Node service would: one BullMQ job, whose data is the announcement.
// node examples/queue/announce.mjs QUEUE ID [SUBJECT]      with REDIS_URL, or DATABASE_URL where the queue is on Postgres
import { createPostgresBackend, Queue, withBackend } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';

const [name, id, subject = 'Lunch on Friday?'] = process.argv.slice(2);
if (name === undefined || id === undefined) {
  console.error('usage: node announce.mjs QUEUE ID [SUBJECT]');
  process.exit(2);
}

const onRedis = (url) => {
  const connection = new Redis(url, { maxRetriesPerRequest: null });
  return { queue: new Queue(name, { connection }), close: async () => connection.disconnect() };
};
const onPostgres = (url) => {
  const { Queue: PostgresQueue } = withBackend(createPostgresBackend);
  const pool = new Pool({ connectionString: url, options: '-c search_path=bullmq' });
  return { queue: new PostgresQueue(name, { connection: pool }), close: () => pool.end() };
};

const { REDIS_URL, DATABASE_URL } = process.env;
const { queue, close } = REDIS_URL ? onRedis(REDIS_URL) : onPostgres(DATABASE_URL);
const job = await queue.add('announce', {
  pack: 'mail',
  ref: 'new_item',
  // The event's own id: announce it twice and it is recorded once.
  id,
  account: 'inbox@example.com',
  occurred_at: new Date().toISOString(),
  data: { id: 'm1', subject },
});
console.log(`${name}:${job.id}`);
await queue.close();
await close();
