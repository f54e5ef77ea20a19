import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Answer, type Product, startProduct } from '../helpers/start-product.ts';
import { startQueueStore } from '../helpers/start-queue-store.ts';
import { hasPostgres, queueBackends } from '../helpers/stores.ts';
import { waitFor } from '../helpers/wait-for.ts';

const codeOf = (answer: Answer): string => (answer.json() as { error: { code: string } }).error.code;

const newMail = (id: string) => ({ ref: 'new_item', id, account: 'inbox@example.com', data: { id: 'm1' } });

describe.skipIf(!hasPostgres).each(queueBackends)(
  'answers at the door, on $kind',
  { timeout: 90_000 },
  (backend) => {
    describe('of one product', () => {
      let product: Product;
      beforeAll(async () => {
        product = await startProduct({
          queueUrl: await backend.url(),
          config: { http: { host: '127.0.0.1', port: 0, body_limit: '4kb' } },
        });
        return product.stop;
      });

      const body = JSON.stringify(newMail('refused'));
      const json = { 'content-type': 'application/json' };
      const deep = `{"ref":"new_item","id":"refused","data":${'['.repeat(200)}${']'.repeat(200)}}`;

      const refusals: Record<string, { status: number; code: string; send: () => Promise<Answer> }> = {
        'a signature of other bytes': {
          status: 401,
          code: 'SIGNATURE_MISMATCH',
          send: () => product.post('mail-hook', `${body} `, product.signed.mail(body)),
        },
        'no signature': {
          status: 401,
          code: 'SIGNATURE_MISSING',
          send: () => product.post('mail-hook', body, {}),
        },
        'the signature of another source': {
          status: 401,
          code: 'SIGNATURE_MISMATCH',
          send: async () =>
            product.post('github', body, {
              'x-hub-signature-256': product.signed.watcher(body)['x-watcher-signature'],
            }),
        },
        'a source that is not configured': {
          status: 404,
          code: 'SOURCE_UNKNOWN',
          send: () => product.post('nobody', body, product.signed.mail(body)),
        },
        'another method': {
          status: 405,
          code: 'METHOD_NOT_ALLOWED',
          send: () => product.request('PUT', '/ingress/mail-hook', { headers: json, body }),
        },
        'a body over the limit': {
          status: 413,
          code: 'BODY_TOO_LARGE',
          send: () => {
            const large = JSON.stringify({ ...newMail('refused'), data: 'x'.repeat(5_000) });
            return product.post('mail-hook', large, product.signed.mail(large));
          },
        },
        'another content type': {
          status: 415,
          code: 'CONTENT_TYPE_UNSUPPORTED',
          send: () =>
            product.post('mail-hook', body, { ...product.signed.mail(body), 'content-type': 'text/xml' }),
        },
        'a body that is no JSON': {
          status: 400,
          code: 'BODY_MALFORMED',
          send: () => product.deliver.mail('{"ref":"new_item",'),
        },
        'JSON nested too deeply': {
          status: 400,
          code: 'BODY_TOO_DEEP',
          send: () => product.deliver.mail(deep),
        },
        'an announcement without an id': {
          status: 400,
          code: 'ANNOUNCEMENT_INVALID',
          send: () => product.deliver.mail('{"ref":"new_item"}'),
        },
        'a field that is not in an announcement': {
          status: 400,
          code: 'ANNOUNCEMENT_INVALID',
          send: () => product.deliver.mail(JSON.stringify({ ...newMail('refused'), tenant_id: 'globex' })),
        },
        'an array of which one is faulty': {
          status: 400,
          code: 'ANNOUNCEMENT_INVALID',
          send: () => product.deliver.mail(JSON.stringify([newMail('refused'), { ref: 'new_item' }])),
        },
      };

      test.each(Object.entries(refusals))('S35 S20: %s is refused', async (_, { status, code, send }) => {
        const answer = await send();
        expect({ status: answer.status, code: codeOf(answer) }).toEqual({ status, code });
        if (status === 405) expect(answer.headers.get('allow')).toContain('POST');
      });

      test('S35 G2: of all that was refused nothing came in, and what is signed well still does', async () => {
        const { deliveryId, status } = await product.deliver.mail(newMail('well-signed'));
        expect(status).toBe(202);
        expect((await product.decisionOf('mail-hook', deliveryId)).outcome).toBe('recorded');
        const { rows } = await product.pool.query('select event_id from sense.records');
        expect(rows).toEqual([{ event_id: 'well-signed' }]);
        expect(await product.count('drops')).toBe(0);
      });
    });

    test('G1: the queue store hangs: 503 with Retry-After within 3 s, nothing half done, and on it goes when it answers', async () => {
      const store = await startQueueStore(backend.kind);
      onTestFinished(store.stop);
      const product = await startProduct({ queueUrl: store.url, roles: ['ingress'], config: { wakes: [] } });
      onTestFinished(product.stop);
      const deliveries = Array.from({ length: 6 }, (_, d) =>
        // Over several partitions each.
        ['inbox@example.com', 'work@example.com', 'other@example.com'].map((account, n) => ({
          ...newMail(`hang-${d}-${n}`),
          account,
        })),
      );
      const frozen = await store.freeze();
      const answers = await Promise.all(
        deliveries.map(async (announcements, d) => {
          const from = performance.now();
          const answer = await product.deliver.mail(announcements, `dlv-hang-${d}`);
          return { answer, ms: performance.now() - from };
        }),
      );
      for (const { answer, ms } of answers) {
        expect({ status: answer.status, code: codeOf(answer) }).toEqual({
          status: 503,
          code: 'QUEUE_UNAVAILABLE',
        });
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(ms).toBeLessThan(3_000);
      }
      const ready = await product.the('ingress').readiness();
      expect({ status: ready.status, queue: ready.body.checks.queue?.ok }).toEqual({
        status: 503,
        queue: false,
      });
      await frozen.thaw();

      // A provider tries again, with the same deliveries.
      for (const [d, announcements] of deliveries.entries()) {
        await waitFor(
          'it is taken',
          async () => (await product.deliver.mail(announcements, `dlv-hang-${d}`)).status === 202,
        );
      }
      await product.start('worker');
      const all = deliveries.flat().map(({ id }) => id);
      await waitFor('all are recorded', async () => (await product.count('records')) === all.length);
      await sleep(500);
      const { rows } = await product.pool.query<{ event_id: string }>('select event_id from sense.records');
      expect(rows.map(({ event_id }) => event_id).sort()).toEqual(all.sort());
    });

    test('G1: queue.max_waiting is reached: 503 QUEUE_FULL, until a worker has made room', async () => {
      const product = await startProduct({
        queueUrl: await backend.url(),
        roles: ['ingress'],
        config: { wakes: [], queue: { url: { env: 'QUEUE_URL' }, partitions: 2, max_waiting: 5 } },
      });
      onTestFinished(product.stop);
      const accepted: string[] = [];
      const refusal = await waitFor('the queue is full', async () => {
        const id = `full-${accepted.length}`;
        const answer = await product.deliver.mail(newMail(id));
        if (answer.status !== 202) return answer;
        accepted.push(id);
        return null;
      });
      expect({ status: refusal.status, code: codeOf(refusal) }).toEqual({ status: 503, code: 'QUEUE_FULL' });
      expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(accepted.length).toBeGreaterThanOrEqual(5);

      await product.start('worker');
      await waitFor(
        'there is room',
        async () => (await product.deliver.mail(newMail('room'))).status === 202,
      );
      await waitFor('all are recorded', async () => (await product.count('records')) === accepted.length + 1);
    });
  },
);
