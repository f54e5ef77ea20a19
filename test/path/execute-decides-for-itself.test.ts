import { beforeAll, describe, expect, test } from 'vitest';
import { type AnnouncementBody, type Product, startProduct } from '../helpers/start-product.ts';
import { hasPostgres, queueBackends } from '../helpers/stores.ts';
import { waitFor } from '../helpers/wait-for.ts';

type Wake = {
  state: string;
  steps: { verb: string; outcome: string; code: string | null; preview?: unknown; hint?: string }[];
};

describe.skipIf(!hasPostgres).each(queueBackends)(
  'the wake and its own grants, on $kind',
  { timeout: 60_000 },
  (backend) => {
    let product: Product;
    beforeAll(async () => {
      product = await startProduct({
        queueUrl: await backend.url(),
        runtimeGrants: [
          { principal: 'sense-wake', capability: 'verb.exec.write', pack_id: 'mail' },
          { principal: 'sense-wake', capability: 'verb.exec.read', pack_id: 'issues' },
        ],
        config: (usual) => ({
          wakes: [
            {
              id: 'ask-to-send',
              on: { pack: 'mail', ref: 'new_item' },
              steps: [
                {
                  pack: 'mail',
                  verb: 'mail.send',
                  args: { to: '$.data.to', subject: 'Re', body: 'Thanks.' },
                },
                { pack: 'issues', verb: 'issues.list' },
              ],
            },
            {
              id: 'read-what-the-runtime-denies',
              on: { pack: 'mail', ref: 'item.updated' },
              steps: [{ pack: 'mail', verb: 'mail.list' }],
            },
            {
              id: 'brain-of-nobody',
              on: { pack: 'mail', ref: 'binding.degraded' },
              steps: [{ pack: 'issues', verb: 'issues.list' }],
            },
          ],
          execute: {
            ...(usual.execute as object),
            grants: [
              { capability: 'verb.exec.write', pack_id: 'mail', verb_keys: ['mail.send'] },
              { capability: 'verb.exec.read', pack_id: 'mail', verb_keys: ['mail.list'] },
              { capability: 'verb.exec.read', pack_id: 'issues' },
            ],
          },
        }),
      });
      return product.stop;
    });

    /** The wake of this event, once it is over. */
    const wakeOf = async (announcement: AnnouncementBody): Promise<Wake> => {
      const { deliveryId } = await product.deliver.mail(announcement);
      expect((await product.decisionOf('mail-hook', deliveryId)).outcome).toBe('recorded');
      const { rows } = await product.pool.query<{ record_id: string }>(
        'select record_id from sense.records where delivery_id = $1',
        [deliveryId],
      );
      return waitFor('the wake is over', async () => {
        const answer = await product.api('GET', `/v1/wakes?record_id=${rows[0]?.record_id}`, { as: 'ops' });
        const [wake] = (answer.json() as { wakes: Wake[] }).wakes;
        return wake !== undefined && !['pending', 'running'].includes(wake.state) ? wake : null;
      });
    };

    test('S28 S31: what asks for confirmation is kept with preview and hint; nothing ran, and no later step', async () => {
      const wake = await wakeOf({
        ref: 'new_item',
        id: 'ask',
        account: 'inbox@example.com',
        data: { to: 'ada@example.com' },
      });
      expect(wake.state).toBe('confirm_required');
      expect(wake.steps).toHaveLength(1);
      expect(wake.steps[0]).toMatchObject({ verb: 'mail.send', outcome: 'confirm_required' });
      expect(JSON.stringify(wake.steps[0]?.preview)).toContain('ada@example.com');
      expect(wake.steps[0]?.hint).toContain('Nothing ran');
      const calls = product.runtime.calls();
      expect(calls).toHaveLength(1);
      expect(calls[0]).toMatchObject({
        pack_id: 'mail',
        verb_key: 'mail.send',
        args: { to: 'ada@example.com', subject: 'Re', body: 'Thanks.' },
        tenant_id: 'acme',
        project_id: null,
        ran: false,
      });
    });

    test('S28: a payload that says confirm for the sender confirms nothing', async () => {
      const wake = await wakeOf({
        ref: 'new_item',
        id: 'sneaky',
        account: 'inbox@example.com',
        data: { to: 'ada@example.com', confirm: true, apply: true },
      });
      expect(wake.state).toBe('confirm_required');
      expect(product.runtime.ran('mail.send')).toEqual([]);
    });

    test('S17 S27: sense.enable authorises no command: what the runtime does not grant of its own does not run', async () => {
      const wake = await wakeOf({ ref: 'item.updated', id: 'no-grant', account: 'inbox@example.com' });
      expect(wake.state).toBe('denied');
      expect(wake.steps[0]).toMatchObject({ verb: 'mail.list', outcome: 'denied' });
      expect(product.runtime.calls().at(-1)).toMatchObject({ verb_key: 'mail.list', ran: false });
    });

    test('S30: a brain command without a project is denied before it is called', async () => {
      const before = product.runtime.calls().length;
      const wake = await wakeOf({
        ref: 'binding.degraded',
        id: 'no-project',
        account: 'inbox@example.com',
        state: 'expired',
      });
      expect(wake.state).toBe('denied');
      expect(wake.steps[0]).toMatchObject({
        verb: 'issues.list',
        outcome: 'denied',
        code: 'EXEC_PROJECT_REQUIRED',
      });
      expect(product.runtime.calls()).toHaveLength(before);
    });
  },
);
