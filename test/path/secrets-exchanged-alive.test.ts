import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Product, startProduct } from '../helpers/start-product.ts';
import { freshRedis, hasPostgres, redisUrl } from '../helpers/stores.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { startLoad } from './start-load.ts';

const newSecret = () => `whsec_${randomBytes(24).toString('base64')}`;

describe.skipIf(!hasPostgres || redisUrl === null)(
  'secrets are read anew on SIGHUP',
  { timeout: 120_000 },
  () => {
    const start = async (onTestFinished: (end: () => Promise<void>) => void): Promise<Product> => {
      const product = await startProduct({
        queueUrl: await freshRedis(),
        roles: [],
        config: (usual) => ({
          ...usual,
          sources: [
            {
              id: 'mail-hook',
              type: 'webhook',
              pack: 'mail',
              secrets: [{ file: 'first.secret' }, { file: 'second.secret' }],
            },
          ],
          tokens: [{ id: 'agent', role: 'invoker', principals: ['*'], secret: { file: 'agent.token' } }],
          wakes: [],
        }),
      });
      onTestFinished(product.stop);
      return product;
    };

    test('under load no request is lost or refused, a bad one keeps the old ones and says so, the old one ends', async ({
      onTestFinished,
    }) => {
      const product = await start(onTestFinished);
      const put = (name: string, secret: string) => writeFile(join(product.home, name), `${secret}\n`);
      const old = product.secrets.MAIL_SECRET;
      await put('first.secret', old);
      await put('second.secret', old);
      await put('agent.token', product.secrets.INVOKER_TOKEN);
      const worker = await product.start('all');
      const lines = (msg: string) => worker.logs().filter((line) => line.msg === msg);
      const hangUp = async (msg: string) => {
        const before = lines(msg).length;
        process.kill(worker.pid, 'SIGHUP');
        await waitFor(msg, () => lines(msg).length > before);
        return lines(msg).at(-1);
      };
      const load = startLoad(product, ['inbox@example.com', 'other@example.com'], { lanes: 4, pauseMs: 5 });
      await waitFor('deliveries are taken', () => load.accepted().length > 20);

      const changed = newSecret();
      await put('first.secret', changed);
      expect(await hangUp('secrets.exchanged')).toMatchObject({ sources: ['mail-hook'], tokens: [] });
      product.secrets.MAIL_SECRET = changed;
      const some = load.accepted().length;
      await waitFor('deliveries signed with the new one are taken', () => load.accepted().length > some + 20);

      await put('second.secret', '   ');
      expect(await hangUp('secrets.kept')).toMatchObject({ level: 'error', code: 'SECRET_UNUSABLE' });
      await put('second.secret', 'whsec_no base64 at all!');
      expect(await hangUp('secrets.kept')).toMatchObject({ level: 'error', code: 'SECRET_UNUSABLE' });
      for (let n = 0; n < 10; n += 1) process.kill(worker.pid, 'SIGHUP');

      await put('second.secret', changed);
      await hangUp('secrets.exchanged');
      const more = load.accepted().length;
      await waitFor('deliveries are still taken', () => load.accepted().length > more + 20);
      await load.stop();
      expect(load.refused()).toEqual([]);
      expect(load.accepted()).toHaveLength(load.sent().length);
      await waitFor('all are recorded', async () => (await product.count('records')) === load.sent().length);

      product.secrets.MAIL_SECRET = old;
      const answer = await product.deliver.mail({
        ref: 'new_item',
        id: 'late',
        account: 'inbox@example.com',
      });
      expect([answer.status, answer.text]).toEqual([401, expect.stringContaining('SIGNATURE_MISMATCH')]);
      for (const secret of [old, changed])
        expect(JSON.stringify(worker.logs())).not.toContain(secret.slice('whsec_'.length));
      expect(worker.running()).toBe(true);
    });

    test('tokens as well: the new one is let in, the old one is not', async ({ onTestFinished }) => {
      const product = await start(onTestFinished);
      await writeFile(join(product.home, 'first.secret'), newSecret());
      await writeFile(join(product.home, 'second.secret'), newSecret());
      await writeFile(join(product.home, 'agent.token'), product.secrets.INVOKER_TOKEN);
      const worker = await product.start('ingress');
      const old = product.secrets.INVOKER_TOKEN;
      expect((await product.api('GET', '/v1/records')).status).toBe(200);
      product.secrets.INVOKER_TOKEN = 'another-token-of-the-agent';
      await writeFile(join(product.home, 'agent.token'), product.secrets.INVOKER_TOKEN);
      process.kill(worker.pid, 'SIGHUP');
      await waitFor('they are exchanged', () => worker.logs().some(({ msg }) => msg === 'secrets.exchanged'));
      expect((await product.api('GET', '/v1/records')).status).toBe(200);
      product.secrets.INVOKER_TOKEN = old;
      expect((await product.api('GET', '/v1/records')).status).toBe(401);
    });

    test('a role that holds none stays as it is', async ({ onTestFinished }) => {
      const product = await start(onTestFinished);
      const worker = await product.start('worker');
      process.kill(worker.pid, 'SIGHUP');
      await waitFor('it was heard', () => worker.logs().some(({ msg }) => msg === 'secrets.reading'));
      expect((await worker.readiness()).status).toBe(200);
    });
  },
);
