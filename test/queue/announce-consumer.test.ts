import { createPostgresBackend, type PgPool, Queue, withBackend } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Announcement } from '../../src/domain/announcement.ts';
import { CodedError } from '../../src/domain/errors.ts';
import { createAnnouncementReader } from '../../src/ingress/create-announcement-reader.ts';
import { createAnnounceConsumer } from '../../src/queue/create-announce-consumer.ts';
import { postgresAddress } from '../../src/queue/open-queue-pool.ts';
import { prepareBullmqSchema } from '../../src/queue/prepare-bullmq-schema.ts';
import { type QueueStore, queueStoreOf } from '../../src/queue/queue-store-of.ts';
import { queueBackends } from '../helpers/stores.ts';
import { until } from './until.ts';

const log = pino({ level: 'silent' });
const read = createAnnouncementReader({ id: 'bus', packs: ['mail'] }, { echoes: true });
const announcement = (id: string, more: object = {}) => ({ pack: 'mail', ref: 'new_item', id, ...more });

describe.each(queueBackends)('the internal queue on $kind', ({ kind, url }) => {
  let store: QueueStore;
  let queue: Awaited<ReturnType<typeof openQueue>>;
  let taken: Announcement[];
  let facts: object[];
  let closers: (() => Promise<unknown>)[];

  beforeEach(async () => {
    store = queueStoreOf(await url());
    taken = [];
    facts = [];
    closers = [];
    queue = await openQueue(store);
  });
  afterEach(async () => {
    for (const close of closers.reverse()) await close();
  });

  /** As a service of the operator would have it: plain BullMQ, defaults only. */
  const openQueue = async ({ kind: which, url: address }: QueueStore) => {
    if (which === 'redis') {
      const connection = new Redis(address, { maxRetriesPerRequest: null });
      closers.push(async () => connection.disconnect());
      const opened = new Queue('sense-announce', { connection });
      closers.push(() => opened.close());
      return opened;
    }
    await prepareBullmqSchema(address);
    const pool = new Pool(postgresAddress(address));
    closers.push(() => pool.end());
    const { Queue: PostgresQueue } = withBackend(createPostgresBackend);
    const opened = new PostgresQueue('sense-announce', { connection: pool as unknown as PgPool });
    closers.push(() => opened.close());
    return opened;
  };

  const consume = (
    enqueue: (announcements: readonly Announcement[]) => Promise<void> = async () => undefined,
  ) => {
    const consumer = createAnnounceConsumer({
      store,
      source: 'bus',
      queue: 'sense-announce',
      prefix: 'bull',
      read,
      async enqueue(announcements) {
        await enqueue(announcements);
        taken.push(...announcements);
      },
      onJob: (fact) => facts.push(fact),
      log,
    });
    closers.push(consumer.close);
    return consumer;
  };

  test('S21 G8: jobs of any service are announcements, in order, with an id to explain them by, and are complete then', async () => {
    const jobs = [
      await queue.add('anything', announcement('a', { account: 'x@example.com', data: { n: 1 } })),
      await queue.add('anything', [announcement('b'), announcement('c')]),
      await queue.add('anything', announcement('d'), { jobId: 'order-7' }),
    ];
    consume();
    await until(() => taken.length === 4);
    expect(taken.map(({ event }) => event)).toEqual(['a', 'b', 'c', 'd']);
    expect(taken[0]).toMatchObject({
      source: 'bus',
      pack: 'mail',
      accounts: ['x@example.com'],
      data: '{"n":1}',
    });
    expect(taken.map(({ delivery }) => delivery)).toEqual(
      [jobs[0]?.id, jobs[1]?.id, jobs[1]?.id, 'order-7'].map((id) => `sense-announce:${id}`),
    );
    await until(async () => (await queue.getJobCounts('completed')).completed === 3);
    expect(facts).toEqual(Array(3).fill({ source: 'bus', status: 202, code: null }));
  });

  test('S10 G5: what is no announcement of its packs ends failed with the reason, and the others go on', async () => {
    const bad = [
      await queue.add('x', { ref: 'new_item', id: 'e' }),
      await queue.add('x', announcement('e', { pack: 'issues' })),
      await queue.add('x', announcement('e', { tenant: 'acme', principal: 'root' }), { attempts: 5 }),
      await queue.add('x', [announcement('e'), 7]),
      await queue.add('x', 'not json'),
      await queue.add('x', null),
      await queue.add('x', JSON.parse(`{"a":${'['.repeat(200)}${']'.repeat(200)}}`)),
    ];
    await queue.add('x', announcement('good'));
    consume();
    await until(() => taken.length === 1);
    expect(taken[0]?.event).toBe('good');
    const reasons = await Promise.all(
      bad.map(async ({ id }) => {
        await until(async () => (await queue.getJobState(id ?? '')) === 'failed');
        return (await queue.getJob(id ?? ''))?.failedReason;
      }),
    );
    expect(reasons).toEqual([
      'ANNOUNCEMENT_INVALID: pack: expected one of mail',
      'ANNOUNCEMENT_INVALID: pack: expected one of mail',
      'ANNOUNCEMENT_INVALID: tenant: unknown field; principal: unknown field',
      'ANNOUNCEMENT_INVALID: [1].expected an announcement, a JSON object',
      'BODY_MALFORMED: The body is not JSON',
      expect.stringMatching(/^ANNOUNCEMENT_INVALID: /),
      expect.stringMatching(/^BODY_TOO_DEEP: /),
    ]);
    expect(facts.filter((fact) => 'status' in fact && fact.status === 400)).toHaveLength(7);
  });

  test('G9: data that is a text is the announcement to the very character', async () => {
    const data = '{"big":9007199254740993,"b":1,"a":2,"a":3,"nul":"\\u0000","half":"\\ud800","f":1.50}';
    await queue.add('x', `{"pack":"mail","ref":"new_item","id":"v","data":${data}}`);
    consume();
    await until(() => taken.length === 1);
    expect(taken[0]?.data).toBe(data);
  });

  test('G1: a job is complete only when our queue has it; while that takes none the job waits, over a restart as well, though its producer allows one attempt', async () => {
    let open = false;
    let tries = 0;
    const full = async () => {
      tries += 1;
      if (!open) throw new CodedError(tries % 2 === 0 ? 'QUEUE_FULL' : 'QUEUE_UNAVAILABLE');
    };
    const first = await queue.add('x', announcement('first'));
    const second = await queue.add('x', announcement('second'));
    const stopped = consume(full);
    await until(() => tries >= 3);
    expect(await queue.getJobState(first.id ?? '')).toBe('active');
    await stopped.close();
    expect(await queue.getJobState(first.id ?? '')).toBe('waiting');

    open = true;
    consume(full);
    await until(() => taken.length === 2);
    expect(taken.map(({ event }) => event)).toEqual(['first', 'second']);
    await until(async () => (await queue.getJobState(second.id ?? '')) === 'completed');
  });

  test('a second process takes no job while one is in hand, so order holds over all of them', async () => {
    const order: string[] = [];
    let inHand = 0;
    let most = 0;
    const slow = async ([one]: readonly Announcement[]) => {
      inHand += 1;
      most = Math.max(most, inHand);
      await new Promise((resolve) => setTimeout(resolve, 3));
      order.push(one?.event ?? '');
      inHand -= 1;
    };
    await queue.addBulk(Array.from({ length: 60 }, (_, n) => ({ name: 'x', data: announcement(`n${n}`) })));
    consume(slow);
    consume(slow);
    await until(() => order.length === 60);
    expect(most).toBe(1);
    expect(order).toEqual(Array.from({ length: 60 }, (_, n) => `n${n}`));
  });

  test(`what its producers see of ${kind} stays theirs: their event stream is as long as they have it`, async () => {
    await queue.add('x', announcement('a'));
    consume();
    await until(() => taken.length === 1);
    const meta = await queue.getMeta();
    expect(meta.maxLenEvents).toBe(10_000);
  });
});
