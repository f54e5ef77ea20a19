import { describe, expect, onTestFinished, test } from 'vitest';
import { holdLaterRecording } from '../helpers/hold-database.ts';
import { type Product, startProduct } from '../helpers/start-product.ts';
import { hasPostgres, queueBackends } from '../helpers/stores.ts';
import { waitFor } from '../helpers/wait-for.ts';

type Way = {
  /** Events of user_42 in the queue before the worker starts. */
  events: number;
  take: (product: Product) => Promise<void>;
  reason: 'sense_not_granted' | 'sense_off';
};

const ways: Record<string, Way> = {
  'a revoke through the admin API': {
    events: 10_000,
    reason: 'sense_not_granted',
    async take(product) {
      const answer = await product.api('DELETE', '/v1/directory/grants/g_mail', { as: 'ops' });
      expect(answer.status).toBe(200);
    },
  },
  'hcp-sense revoke': {
    events: 3_000,
    reason: 'sense_not_granted',
    async take(product) {
      const { code, stdout, stderr } = await product.cli('revoke', 'user_42', 'mail');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('user_42');
    },
  },
  'activation turned off': {
    events: 3_000,
    reason: 'sense_off',
    async take(product) {
      const answer = await product.api('PUT', '/v1/packs/mail/activation', {
        as: 'ops',
        body: { sense: 'off' },
      });
      expect(answer.status).toBe(200);
    },
  },
};

/** Whether somebody waits for the exclusive directory lock. */
const isRevokeWaiting = async ({ pool }: Product): Promise<boolean> => {
  const { rowCount } = await pool.query(
    `select from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and not granted
       and database = (select oid from pg_database where datname = current_database())`,
  );
  return rowCount !== null && rowCount > 0;
};

const perDelivery = 250;

/** Puts events in the queue that no worker takes yet, in turn for each account. */
const queueUp = async (product: Product, accounts: readonly string[], count: number): Promise<void> => {
  for (let from = 0; from < count; from += perDelivery) {
    const announcements = Array.from({ length: perDelivery }, (_, n) => ({
      ref: 'new_item',
      id: `q-${from + n}`,
      account: accounts[(from + n) % accounts.length] ?? '',
      data: { id: 'm1' },
    }));
    expect((await product.deliver.mail(announcements)).status).toBe(202);
  }
};

describe.skipIf(!hasPostgres).each(queueBackends)(
  'what is taken away stays away, on $kind',
  { timeout: 120_000 },
  (backend) => {
    test.each(Object.entries(ways))(
      'G3 S11 S12 S26: when %s returns, with thousands of events queued, nothing more is recorded under it',
      async (_, { events, take, reason }) => {
        const product = await startProduct({
          queueUrl: await backend.url(),
          roles: ['ingress'],
          config: { wakes: [] },
        });
        onTestFinished(product.stop);
        const mine = ['inbox@example.com', 'work@example.com'];
        await queueUp(product, mine, events);
        await queueUp(product, ['other@example.com'], 500);
        const underMine = `principal_id = 'user_42'`;
        const later = await holdLaterRecording(product.databaseUrl, product.pool, underMine);

        product.launch('worker');
        // The revoke comes while batches that read the old facts are under way: it has to wait for them.
        await waitFor('some are recorded', async () => (await product.count('records', underMine)) > 0);
        await waitFor('a batch is under way', () => later.blocked('insert into sense.records'));
        const returned = take(product).then(() => product.count('records', underMine));
        await waitFor('the revoke waits, or has returned all the same', () =>
          Promise.race([returned.then(() => true), isRevokeWaiting(product)]),
        );
        await later.release();
        const atReturn = await returned;
        expect(atReturn).toBeGreaterThan(0);
        expect(atReturn).toBeLessThan(events);

        await waitFor('the queue is worked off', async () => {
          const [records, drops] = [await product.count('records'), await product.count('drops')];
          return records + drops === events + 500;
        });
        expect(await product.count('records', underMine)).toBe(atReturn);
        expect(
          await product.count('drops', `binding_id in ('bnd_mail', 'bnd_work') and reason = '${reason}'`),
        ).toBe(events - atReturn);
        expect(await product.count('dead_letters')).toBe(0);

        // Another Principal's grant on the same pack is nobody's business but theirs; activation is everybody's.
        const others = await product.count('records', `principal_id = 'user_43'`);
        if (reason === 'sense_not_granted') expect(others).toBe(500);
        else
          expect(
            others + (await product.count('drops', `binding_id = 'bnd_43' and reason = 'sense_off'`)),
          ).toBe(500);

        // Later events meet the same no, and the producer its 202.
        const next = await product.deliver.mail({
          ref: 'new_item',
          id: 'next',
          account: 'inbox@example.com',
        });
        expect(next.status).toBe(202);
        expect(await product.decisionOf('mail-hook', next.deliveryId)).toMatchObject({
          outcome: 'dropped',
          reason,
        });
      },
    );

    test('S12 S17: Sense taken away changes nothing for Execute: a wake that was committed before runs as ever', async () => {
      const product = await startProduct({ queueUrl: await backend.url(), roles: ['ingress', 'worker'] });
      onTestFinished(product.stop);
      const before = await product.deliver.mail({
        ref: 'new_item',
        id: 'before',
        account: 'inbox@example.com',
        data: { id: 'm1' },
      });
      expect((await product.decisionOf('mail-hook', before.deliveryId)).outcome).toBe('recorded');
      expect(await product.api('DELETE', '/v1/directory/grants/g_mail', { as: 'ops' })).toMatchObject({
        status: 200,
      });
      expect(
        await product.api('PUT', '/v1/packs/mail/activation', { as: 'ops', body: { sense: 'off' } }),
      ).toMatchObject({ status: 200 });

      await product.start('wake');
      await waitFor('the wake ran', () => product.runtime.ran('mail.get').length === 1);
      await waitFor('the wake is over', async () => (await product.count('wakes', `state = 'done'`)) === 1);

      // And back on, it flows again: nothing of the pack or of the worker was changed.
      await product.api('PUT', '/v1/packs/mail/activation', { as: 'ops', body: { sense: 'on' } });
      const { code } = await product.cli('grant', 'user_42', 'mail');
      expect(code).toBe(0);
      const after = await product.deliver.mail({
        ref: 'new_item',
        id: 'after',
        account: 'inbox@example.com',
        data: { id: 'm2' },
      });
      expect((await product.decisionOf('mail-hook', after.deliveryId)).outcome).toBe('recorded');
      await waitFor('the next wake ran', () => product.runtime.ran('mail.get').length === 2);
    });
  },
);
