import Fastify from 'fastify';
import { Pool } from 'pg';
import { type EventJob, openQueue, openWorker } from './open-by-hand-queue.ts';

// (b) By hand, the recording half: one INSERT and one wake per event, fifty at a time.
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 20 });
const wakes = openQueue<{ id: string }>('wakes');
await wakes.waitUntilReady();

openWorker<EventJob>('events', 50, async ({ event, receivedAt }) => {
  await pool.query(
    `insert into by_hand.events (id, account, ref, occurred_at, received_at, data)
     values ($1, $2, $3, $4, $5, $6) on conflict (id) do nothing`,
    [event.id, event.account, event.ref, event.occurred_at, receivedAt, JSON.stringify(event.data)],
  );
  await wakes.add('wake', { id: event.id }, { jobId: `wake-${event.id}` });
});

// Jobs under way are not waited for: the run is over.
process.once('SIGTERM', () => process.exit(0));
const health = Fastify();
health.get('/readyz', () => ({ ready: true }));
await health.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
