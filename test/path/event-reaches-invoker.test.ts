import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Product, type SentRecord, startProduct } from '../helpers/start-product.ts';
import { hasPostgres, queueBackends } from '../helpers/stores.ts';
import { waitFor } from '../helpers/wait-for.ts';

const sender = { login: 'octo-example', id: 42 };
const installation = { id: 77 };

describe.skipIf(!hasPostgres).each(queueBackends)('one event, end to end, on $kind', (backend) => {
  let product: Product;
  /** For each command at the runtime: whether the wake's record was committed when it came in. */
  const recordedBefore: boolean[] = [];

  beforeAll(async () => {
    product = await startProduct({
      queueUrl: await backend.url(),
      onExec: async ({ key }) => {
        const { rowCount } = await product.pool.query(
          'select from sense.records r join sense.wakes w using (record_id) where w.wake_id = $1',
          [key?.split(':')[0]],
        );
        recordedBefore.push(rowCount === 1);
      },
    });
    return product.stop;
  });

  /** Leases until the record of this event is there; everything else that was in the inbox goes back. */
  const leaseEvent = (event: string): Promise<{ leaseId: string; record: SentRecord; text: string }> =>
    waitFor(`the record of ${event} is leased`, async () => {
      const { leaseId, records, text } = await product.lease({ max: 100, wait_seconds: 2 });
      const record = records.find(({ event_id }) => event_id === event);
      if (leaseId === null) return null;
      if (record !== undefined) return { leaseId, record, text };
      await product.api('POST', '/v1/inbox/release', { body: { lease_id: leaseId } });
      return null;
    });

  test('S09 S14 S16 S26 G1 G9: a signed POST is answered 202, its record leased verbatim, then executed on, explained, and gone once acknowledged', async () => {
    const data =
      '{"id":"m2","big":9007199254740993,"a":1,"a":2,"nul":"\\u0000","half":"\\ud800","slash":"\\/"}';
    const body = `{"ref":"new_item","id":"evt-1","account":"inbox@example.com","occurred_at":"2026-01-02T03:04:05Z","data":${data}}`;
    const accepted = await product.deliver.mail(body, 'dlv-1');
    expect(accepted.status).toBe(202);
    expect(accepted.text).toBe('{"accepted":1}');

    const { leaseId, record, text } = await leaseEvent('evt-1');
    expect(record).toMatchObject({
      tenant_id: 'acme',
      principal: { id: 'user_42', kind: 'human' },
      binding_id: 'bnd_mail',
      land: 'personal',
      project_id: null,
      pack_id: 'mail',
      ref: 'new_item',
      route: 'inbox',
      source_id: 'mail-hook',
      event_id: 'evt-1',
      delivery_id: 'dlv-1',
      occurred_at: '2026-01-02T03:04:05.000Z',
      state: null,
      trust: 'external',
    });
    expect(text).toContain(`"data":${data}}`);

    await waitFor('the wake ran', () => product.runtime.ran('mail.get').length > 0);
    const [list, get] = product.runtime.calls();
    expect(list).toMatchObject({ verb_key: 'mail.list', ran: true, args: {} });
    expect(get).toMatchObject({
      pack_id: 'mail',
      verb_key: 'mail.get',
      ran: true,
      args: { id: 'm2' },
      principal: { id: 'sense-wake', kind: 'service' },
      tenant_id: 'acme',
    });
    expect(recordedBefore.length).toBeGreaterThanOrEqual(2);
    expect(recordedBefore).not.toContain(false);

    const explained = await waitFor('the wake is over', async () => {
      const told = await product.explain('mail-hook', 'dlv-1');
      return told.decisions[0]?.wakes[0]?.state === 'done' ? told : null;
    });
    expect(explained.decisions).toHaveLength(1);
    expect(explained.decisions[0]).toMatchObject({
      outcome: 'recorded',
      rule: 'resolve-route',
      reason: null,
    });

    const acked = await product.api('POST', '/v1/inbox/ack', {
      body: { lease_id: leaseId, record_ids: [record.record_id] },
    });
    expect(acked.status).toBe(200);
    // Not leased any more and not on offer: what is left is everything but this one.
    await product.api('POST', '/v1/inbox/release', { body: { lease_id: leaseId } });
    const { records: left } = await product.lease({ max: 100 });
    expect(left.map(({ record_id }) => record_id)).not.toContain(record.record_id);
  });

  test('G2: the same event again is a duplicate, recorded and executed on once, and explained as such', async () => {
    const announcement = {
      ref: 'new_item',
      id: 'evt-again',
      account: 'inbox@example.com',
      data: { id: 'm1' },
    };
    await product.deliver.mail(announcement, 'dlv-first');
    expect((await product.decisionOf('mail-hook', 'dlv-first')).outcome).toBe('recorded');
    expect((await product.deliver.mail(announcement, 'dlv-second')).status).toBe(202);
    expect((await product.decisionOf('mail-hook', 'dlv-second')).outcome).toBe('duplicate');
    expect(await product.count('records', `event_id = 'evt-again'`)).toBe(1);
    expect(
      await product.count(
        'wakes',
        `record_id in (select record_id from sense.records where event_id = 'evt-again')`,
      ),
    ).toBe(1);
  });

  test('S13: a user-facing ref goes to the inbox, another is recorded in silence, and neither is the other', async () => {
    await product.deliver.mail(
      { ref: 'item.updated', id: 'evt-silent', account: 'inbox@example.com' },
      'dlv-silent',
    );
    expect((await product.decisionOf('mail-hook', 'dlv-silent')).outcome).toBe('recorded');
    await product.deliver.mail(
      { ref: 'new_item', id: 'evt-loud', account: 'inbox@example.com', data: { id: 'm1' } },
      'dlv-loud',
    );
    const { leaseId } = await leaseEvent('evt-loud');
    await product.api('POST', '/v1/inbox/release', { body: { lease_id: leaseId } });
    const { records } = await product.lease({ max: 500 });
    expect(records.map(({ event_id }) => event_id)).not.toContain('evt-silent');
    const browsed = await product.api('GET', '/v1/records?delivery_id=dlv-silent');
    expect(browsed.json()).toMatchObject({ records: [{ event_id: 'evt-silent', route: 'silent' }] });
  });

  describe('S25: each kind of Sense passes the one loop', () => {
    const kinds: Record<
      string,
      { send: () => Promise<{ status: number; deliveryId: string }>; source: string; expected: object }
    > = {
      'a channel event': {
        source: 'github',
        send: () =>
          product.deliver.github(
            'issues',
            { action: 'opened', issue: { id: 1, number: 12, title: 'It fails' }, installation, sender },
            'gh-channel',
          ),
        expected: {
          pack_id: 'issues',
          ref: 'new_item',
          land: 'brain',
          project_id: 'apollo',
          binding_id: 'bnd_issues',
        },
      },
      'binding health': {
        source: 'github',
        send: () =>
          product.deliver.github('installation', { action: 'suspend', installation, sender }, 'gh-health'),
        expected: { pack_id: 'issues', ref: 'binding.degraded', land: 'personal', state: 'suspended' },
      },
      'a domain observation': {
        source: 'github',
        send: () =>
          product.deliver.github(
            'workflow_run',
            { action: 'completed', workflow_run: { id: 8, conclusion: 'failure' }, installation, sender },
            'gh-observation',
          ),
        expected: { pack_id: 'issues', ref: 'run.failed', land: 'brain' },
      },
      'an emit-only pack': {
        source: 'watcher-hook',
        send: () =>
          product.deliver.watcher({ ref: 'file.changed', id: 'w-1', data: { path: 'notes/today.md' } }),
        expected: { pack_id: 'watcher', ref: 'file.changed', land: 'local', binding_id: 'bnd_ws' },
      },
    };

    test.each(Object.entries(kinds))('S25 S14: %s', async (_, { send, source, expected }) => {
      const { status, deliveryId } = await send();
      expect(status).toBe(202);
      expect(await product.decisionOf(source, deliveryId)).toMatchObject({ outcome: 'recorded' });
      const leased = await waitFor(`the record of ${deliveryId} is leased`, async () => {
        const { leaseId, records } = await product.lease({ max: 100 });
        const record = records.find(({ delivery_id }) => delivery_id === deliveryId);
        if (leaseId === null) return null;
        const done = record === undefined ? 'release' : 'ack';
        await product.api('POST', `/v1/inbox/${done}`, {
          body: { lease_id: leaseId, ...(record === undefined ? {} : { record_ids: [record.record_id] }) },
        });
        await product.api('POST', '/v1/inbox/release', { body: { lease_id: leaseId } });
        return record;
      });
      expect(leased).toMatchObject({
        ...expected,
        principal: { id: 'user_42', kind: 'human' },
        tenant_id: 'acme',
        route: 'inbox',
        source_id: source,
      });
    });
  });

  test('S23: binding.degraded reaches the inbox with its state, and nothing here connects', async () => {
    const without = await product.deliver.mail({
      ref: 'binding.degraded',
      id: 'deg-0',
      account: 'inbox@example.com',
    });
    expect(without.status).toBe(400);

    await product.deliver.mail(
      { ref: 'binding.degraded', id: 'deg-1', account: 'inbox@example.com', state: 'credential_expired' },
      'dlv-degraded',
    );
    const { leaseId, record } = await leaseEvent('deg-1');
    expect(record).toMatchObject({ state: 'credential_expired', route: 'inbox', binding_id: 'bnd_mail' });
    await product.api('POST', '/v1/inbox/release', { body: { lease_id: leaseId } });

    // A later mail's wake is over, so whatever the degraded one had caused would have come by now.
    const later = await product.deliver.mail({
      ref: 'new_item',
      id: 'after-deg',
      account: 'inbox@example.com',
      data: { id: 'm1' },
    });
    await waitFor('the later wake is over', async () => {
      const { decisions } = await product.explain('mail-hook', later.deliveryId);
      return decisions[0]?.wakes[0]?.state === 'done';
    });
    expect(await product.count('wakes', `record_id = '${record.record_id}'`)).toBe(0);
    const verbs = product.runtime.calls().map(({ verb_key }) => verb_key);
    expect(verbs.filter((verb) => verb.endsWith('.connect'))).toEqual([]);
  });

  test('S28: nothing that was sent to Execute set confirm or apply', () => {
    expect(product.runtime.calls().length).toBeGreaterThan(0);
    for (const { args } of product.runtime.calls()) {
      expect(Object.keys(args)).not.toContain('confirm');
      expect(Object.keys(args)).not.toContain('apply');
    }
  });

  test('S33: after all this every file of every pack is what it was, byte for byte', async () => {
    const original = await digests(join(import.meta.dirname, '..', '..', 'examples', 'packs'));
    expect(original.size).toBeGreaterThanOrEqual(6);
    expect(await digests(join(product.home, 'packs'))).toEqual(original);
  });
});

describe.skipIf(!hasPostgres).each(queueBackends)('roles in processes of their own, on $kind', (backend) => {
  test('S16 S17 G7: recorded without the token of Execute, executed by the process that has it', async () => {
    const product = await startProduct({ queueUrl: await backend.url(), roles: ['ingress', 'worker'] });
    onTestFinished(product.stop);
    const { deliveryId } = await product.deliver.mail({
      ref: 'new_item',
      id: 'split-1',
      account: 'inbox@example.com',
      data: { id: 'm1' },
    });
    expect((await product.decisionOf('mail-hook', deliveryId)).outcome).toBe('recorded');
    expect(product.runtime.calls()).toEqual([]);

    await product.start('wake');
    await waitFor('the wake ran', () => product.runtime.ran('mail.get').length === 1);
    expect(product.the('worker').running()).toBe(true);
  });
});

const digests = async (dir: string): Promise<Map<string, string>> => {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(
      files.sort().map(
        async (file) =>
          [
            file.slice(dir.length),
            createHash('sha256')
              .update(await readFile(file))
              .digest('hex'),
          ] as const,
      ),
    ),
  );
};
