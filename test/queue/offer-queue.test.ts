import { createPostgresBackend, type PgPool, Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInboxQueue } from '../../src/queue/create-inbox-queue.ts';
import { createOfferQueue } from '../../src/queue/create-offer-queue.ts';
import { createOfferWorker } from '../../src/queue/create-offer-worker.ts';
import { postgresAddress } from '../../src/queue/open-queue-pool.ts';
import { type QueueStore, queueStoreOf } from '../../src/queue/queue-store-of.ts';
import { queueBackends } from '../helpers/stores.ts';
import { until } from './until.ts';

const log = pino({ level: 'silent' });

describe.each(queueBackends)('offers through $kind', ({ kind, url }) => {
  let store: QueueStore;
  let closers: (() => Promise<unknown>)[];

  beforeEach(async () => {
    store = queueStoreOf(await url());
    closers = [];
  });
  afterEach(async () => {
    for (const close of closers.reverse()) await close();
  });

  const openOffers = () => {
    const offers = createOfferQueue({ store, name: 'wakes', log });
    closers.push(offers.close);
    return offers;
  };
  const work = (handle: (ids: readonly string[]) => Promise<void>) => {
    const worker = createOfferWorker({ store, name: 'wakes', handle, concurrency: 3, log });
    closers.push(worker.close);
    return worker;
  };

  it('hands out every id, many in one job', async () => {
    const offers = openOffers();
    const got: string[] = [];
    let calls = 0;
    work(async (ids) => {
      calls += 1;
      got.push(...ids);
    });
    const ids = Array.from({ length: 2500 }, (_, n) => `row-${n}`);
    await offers.offer(ids);
    await offers.offer([]);
    await until(() => got.length === 2500);
    expect(new Set(got)).toEqual(new Set(ids));
    expect(calls).toBe(3);
  });

  it('hands out a delayed offer when it is due, not before, and others meanwhile', async () => {
    const offers = openOffers();
    const got: string[] = [];
    const from = Date.now();
    let dueAfter = 0;
    work(async (ids) => {
      got.push(...ids);
      if (ids.includes('late')) dueAfter = Date.now() - from;
    });
    await offers.offer(['late'], 1200);
    await offers.offer(['now']);
    await until(() => got.length === 2);
    expect(got).toEqual(['now', 'late']);
    expect(dueAfter).toBeGreaterThanOrEqual(1200);
  });

  it('tries a refused offer again, and lets it go after three: the sweeper has the row', async () => {
    const offers = openOffers();
    let refusals = 0;
    const got: string[] = [];
    work(async (ids) => {
      if (ids.includes('never') || refusals === 0) {
        refusals += 1;
        throw new Error('runtime away');
      }
      got.push(...ids);
    });
    await offers.offer(['once']);
    await until(() => got.length === 1);
    await offers.offer(['never']);
    await until(() => refusals === 4);
    await offers.offer(['next']);
    await until(() => got.includes('next'));
    expect(got).toEqual(['once', 'next']);
  });

  it('gives an offer that waits for its next try back on close', async () => {
    const offers = openOffers();
    let tried = 0;
    const first = work(async () => {
      tried += 1;
      throw new Error('runtime away');
    });
    await offers.offer(['row-1']);
    await until(() => tried === 2);
    await first.close();
    const got: string[] = [];
    work(async (ids) => {
      got.push(...ids);
    });
    await until(() => got.length === 1);
  });

  it('S22: the inbox queue gets one job per record, also when it is offered twice, for plain BullMQ workers', async () => {
    const inbox = createInboxQueue({ store, name: 'sense-inbox', log });
    closers.push(inbox.close);
    const record = (n: number) => ({
      record_id: `0192f000-0000-7000-8000-00000000000${n}`,
      tenant_id: 'acme',
      principal_id: 'user_42',
      pack_id: 'mail',
      ref: 'new_item',
    });
    await inbox.addRecords([record(1), record(2)]);
    await inbox.addRecords([record(2), record(3)]);
    await inbox.addRecords([]);

    const pool = kind === 'postgres' ? new Pool({ ...postgresAddress(store.url), max: 2 }) : null;
    const redis = kind === 'redis' ? new Redis(store.url, { maxRetriesPerRequest: null }) : null;
    closers.push(async () => (pool ? pool.end() : redis?.disconnect()));
    const consumer = redis
      ? new Queue('sense-inbox', { connection: redis })
      : new Queue(
          'sense-inbox',
          { connection: {} },
          (name) => createPostgresBackend(name, { connection: pool as unknown as PgPool }) as never,
        );
    const jobs = await consumer.getJobs(['waiting']);
    const data = jobs.map((job) => job.data).sort((a, b) => (a.record_id < b.record_id ? -1 : 1));
    expect(data).toEqual([record(1), record(2), record(3)]);
    for (const job of jobs) expect(job.id).toBe(`record-${job.data.record_id}`);
  });
});
