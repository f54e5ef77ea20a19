import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createPostgresBackend, type PgPool, Queue, withBackend } from 'bullmq';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPythonBullmq } from '../helpers/find-python-bullmq.ts';
import { type Product, startProduct } from '../helpers/start-product.ts';
import { hasPostgres, queueBackends } from '../helpers/stores.ts';
import { waitFor } from '../helpers/wait-for.ts';

const run = promisify(execFile);
const examples = join(import.meta.dirname, '..', '..', 'examples', 'queue');
const python = await findPythonBullmq();

/** A producer of the operator's own, with BullMQ's defaults. */
const openQueue = (kind: 'redis' | 'postgres', url: string) => {
  if (kind === 'redis') {
    const connection = new Redis(url, { maxRetriesPerRequest: null });
    const queue = new Queue('sense-announce', { connection });
    return { queue, close: () => queue.close().then(() => connection.disconnect()) };
  }
  const pool = new Pool({ connectionString: url, options: '-c search_path=bullmq' });
  pool.on('error', () => undefined);
  const { Queue: PostgresQueue } = withBackend(createPostgresBackend);
  const queue = new PostgresQueue('sense-announce', { connection: pool as unknown as PgPool });
  return { queue, close: () => queue.close().then(() => pool.end()) };
};

describe.skipIf(!hasPostgres).each(queueBackends)(
  'S21: the internal queue, end to end, on $kind',
  ({ kind, url }) => {
    let product: Product;
    let producer: ReturnType<typeof openQueue>;

    beforeAll(async () => {
      product = await startProduct({
        queueUrl: await url(),
        config: (usual) => ({
          ...usual,
          sources: [{ id: 'bus', type: 'queue', queue: 'sense-announce', packs: ['mail'] }],
        }),
      });
      producer = openQueue(kind, product.queueUrl);
    });
    afterAll(async () => {
      await producer.close();
      await product.stop();
    });

    const stateOf = (id: string | undefined) => producer.queue.getJobState(id ?? '');

    test('S09 S14 S21 S25: a job of a service is recorded, leased and executed on like any delivery, and complete', async () => {
      const job = await producer.queue.add('anything', {
        pack: 'mail',
        ref: 'new_item',
        id: 'job-1',
        account: 'inbox@example.com',
        data: { id: 'm1' },
      });
      const delivery = `sense-announce:${job.id}`;
      expect(await product.decisionOf('bus', delivery)).toMatchObject({ outcome: 'recorded' });
      const record = await waitFor('its record', async () =>
        (await product.lease({ max: 100 })).records.find(({ event_id }) => event_id === 'job-1'),
      );
      expect(record).toMatchObject({
        source_id: 'bus',
        delivery_id: delivery,
        principal: { id: 'user_42' },
        binding_id: 'bnd_mail',
        data: { id: 'm1' },
      });
      await waitFor('it is complete', async () => (await stateOf(job.id)) === 'completed');
      await waitFor('the wake ran', () => product.runtime.ran('mail.get').length === 1);
    });

    test('S10 S11 G5 G6: what is no announcement fails with its reason; what is one and may not be recorded is a drop', async () => {
      const bad = await producer.queue.add('x', {
        pack: 'mail',
        ref: 'new_item',
        id: 'bad',
        tenant: 'other',
      });
      const foreign = await producer.queue.add('x', { pack: 'issues', ref: 'new_item', id: 'bad' });
      const undeclared = await producer.queue.add('x', { pack: 'mail', ref: 'please_list', id: 'u' });
      await waitFor('both have failed', async () =>
        [await stateOf(bad.id), await stateOf(foreign.id)].every((state) => state === 'failed'),
      );
      expect((await producer.queue.getJob(bad.id ?? ''))?.failedReason).toBe(
        'ANNOUNCEMENT_INVALID: tenant: unknown field',
      );
      expect((await producer.queue.getJob(foreign.id ?? ''))?.failedReason).toBe(
        'ANNOUNCEMENT_INVALID: pack: expected one of mail',
      );
      expect(await product.decisionOf('bus', `sense-announce:${undeclared.id}`)).toMatchObject({
        outcome: 'dropped',
        reason: 'ref_undeclared',
      });
      expect(await product.count('records', `event_id = 'bad'`)).toBe(0);
    });

    test('G1 G2: two hundred jobs over a killed process: each event recorded once', async () => {
      const jobs = Array.from({ length: 200 }, (_, n) => ({
        name: 'x',
        data: { pack: 'mail', ref: 'item.updated', id: `many-${n}`, account: 'inbox@example.com' },
      }));
      const adding = producer.queue.addBulk(jobs);
      await waitFor(
        'some are recorded',
        async () => (await product.count('records', `event_id like 'many-%'`)) > 5,
      );
      await product.the('all').kill('SIGKILL');
      await adding;
      await product.start('all');
      await waitFor(
        'all are recorded',
        async () => (await product.count('records', `event_id like 'many-%'`)) === 200,
      );
      await waitFor('all are complete', async () => {
        const { waiting = 0, active = 0 } = await producer.queue.getJobCounts('waiting', 'active');
        return waiting + active === 0;
      });
    });

    test('S21: the example in Node announces', async () => {
      const { stdout } = await run(
        process.execPath,
        [join(examples, 'announce.mjs'), 'sense-announce', 'from-node'],
        {
          env: {
            ...process.env,
            REDIS_URL: '',
            [kind === 'redis' ? 'REDIS_URL' : 'DATABASE_URL']: product.queueUrl,
          },
        },
      );
      expect(await product.decisionOf('bus', stdout.trim())).toMatchObject({ outcome: 'recorded' });
    });

    // BullMQ for Python has no Postgres.
    if (kind === 'postgres') return;
    test.skipIf('reason' in python)('S21: the example in Python announces', async () => {
      if ('reason' in python) throw new Error(python.reason);
      const script = [join(examples, 'announce.py'), 'sense-announce', 'from-python', 'Grüße 😀'];
      const { stdout } = await run(python.file, script, {
        env: { ...python.env, REDIS_URL: product.queueUrl },
      });
      expect(await product.decisionOf('bus', stdout.trim())).toMatchObject({ outcome: 'recorded' });
      const { rows } = await product.pool.query(
        `select data->>'subject' as subject from sense.records where event_id = 'from-python'`,
      );
      expect(rows).toEqual([{ subject: 'Grüße 😀' }]);
    });
  },
);
