import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Announcement } from '../../src/domain/announcement.ts';
import { CodedError } from '../../src/domain/errors.ts';
import { sampleAnnouncement, samplePack, samplePacks } from '../helpers/samples.ts';
import { hasPostgres } from '../helpers/stores.ts';
import { startApi, type TestApi } from './start-api.ts';

describe.skipIf(!hasPostgres)('explain, drops and dead letters over HTTP', () => {
  let api: TestApi;
  const replayed: Announcement[] = [];
  let queueAway = false;

  beforeAll(async () => {
    const packs = new Map(samplePacks);
    packs.set(
      'mail',
      samplePack('mail', { new_item: 'personal', 'run.completed': 'personal' }, { new_item: 'silent' }),
    );
    api = await startApi({
      packs,
      replay: async (announcement) => {
        if (queueAway) throw new CodedError('QUEUE_UNAVAILABLE');
        replayed.push(announcement);
      },
    });
  });
  afterAll(() => api.stop());

  const explain = async (delivery: string, source = 'mail-hook') =>
    (
      await api.call('GET', `/v1/explain?source=${source}&delivery_id=${encodeURIComponent(delivery)}`, {
        as: 'admin',
      })
    ).json();

  test('G2: a delivery is explained whole: recorded, dropped and duplicate, each with its rule and a sentence', async () => {
    const first = sampleAnnouncement();
    await api.record(first);
    const delivery = 'dlv "odd" ☃ {1}';
    await api.record(sampleAnnouncement({ delivery }), sampleAnnouncement({ delivery, ref: 'please_list' }), {
      ...first,
      delivery,
      data: '{"other":true}',
    });
    const explained = await explain(delivery);
    expect(explained).toMatchObject({
      found: true,
      complete: true,
      summary: '1 recorded, 1 dropped, 1 already recorded',
    });
    const by = Object.fromEntries(
      explained.decisions.map((decision: { outcome: string }) => [decision.outcome, decision]),
    );
    expect(by.recorded).toMatchObject({ rule: 'resolve-route', binding_id: 'bnd_mail', pack_id: 'mail' });
    expect(by.recorded.why).toContain('route silent: packs[].routes says so for new_item');
    expect(by.dropped).toMatchObject({ reason: 'ref_undeclared', rule: 'validate-ref', ref: 'please_list' });
    expect(by.duplicate.rule).toBe('record-once');
    expect(by.duplicate.why).toContain(`by delivery ${first.delivery}`);
    expect(by.duplicate.why).toContain('with another payload; the first one is kept');
  });

  test('a delivery of which nothing is known is said to be so, with where to look', async () => {
    const explained = await explain('never sent');
    expect(explained).toMatchObject({ found: false, decisions: [] });
    expect(explained.summary).toMatch(/may still wait in the queue/);
  });

  test('the wakes of its records are named with their state', async () => {
    const announcement = sampleAnnouncement();
    const { records } = await api.record(announcement);
    const wake = randomUUID();
    await api.pool.query(
      `insert into sense.wakes (wake_id, wake_rule, record_id, tenant_id, principal_id, state, steps)
       values ($1, 'fetch', $2, 'acme', 'user_42', 'confirm_required', $3)`,
      [wake, records[0]?.id, '[{"outcome":"confirm_required","preview":{"to":"x"},"hint":"ask"}]'],
    );
    const [decision] = (await explain(announcement.delivery)).decisions;
    expect(decision.wakes).toEqual([
      { wake_id: wake, wake_rule: 'fetch', state: 'confirm_required', lead_wake_id: null },
    ]);
    expect(decision.why).toContain('wake fetch: confirm_required');
    const page = (await api.call('GET', `/v1/wakes?record_id=${records[0]?.id}`, { as: 'admin' })).json();
    expect(page.wakes).toMatchObject([{ wake_id: wake, steps: [{ preview: { to: 'x' }, hint: 'ask' }] }]);
  });

  test('G6: drops are listed with their reason and hold nothing of the payload', async () => {
    const secret = `payload-${randomUUID()}`;
    const announcement = sampleAnnouncement({
      source: 'dropping',
      accounts: ['nobody@example.com'],
      data: JSON.stringify({ secret }),
    });
    await api.record(announcement);
    const page = await api.call('GET', '/v1/drops?source=dropping&reason=binding_unknown', { as: 'admin' });
    expect(page.json()).toMatchObject({
      drops: [{ delivery_id: announcement.delivery, reason: 'binding_unknown', rule: 'match-binding' }],
      next_cursor: null,
    });
    expect(page.text).not.toContain(secret);
    expect((await explain(announcement.delivery, 'dropping')).decisions[0].reason).toBe('binding_unknown');
  });

  test('drops page through everything once', async () => {
    await api.record(
      ...Array.from({ length: 7 }, () => sampleAnnouncement({ source: 'many', ref: 'nothing' })),
    );
    const first = (await api.call('GET', '/v1/drops?source=many&limit=5', { as: 'admin' })).json();
    const second = (
      await api.call('GET', `/v1/drops?source=many&limit=5&cursor=${first.next_cursor}`, { as: 'admin' })
    ).json();
    const ids = [...first.drops, ...second.drops].map((drop: { drop_id: string }) => drop.drop_id);
    expect(new Set(ids).size).toBe(7);
    expect(second.next_cursor).toBeNull();
  });

  describe('dead letters', () => {
    const poison = async () => {
      const announcement = sampleAnnouncement({ source: 'poison', data: '{"broken":' });
      const { deadLetters } = await api.record(announcement);
      return { announcement, id: deadLetters[0]?.id ?? '' };
    };

    test('are listed without payload, explained, and replayed once', async () => {
      const { announcement, id } = await poison();
      const list = await api.call('GET', '/v1/dead-letters', { as: 'admin' });
      expect(list.json().dead_letters).toMatchObject([
        { dead_letter_id: id, delivery_id: announcement.delivery, reason: expect.stringContaining('json') },
      ]);
      expect(list.text).not.toContain('broken');
      expect((await explain(announcement.delivery, 'poison')).decisions).toMatchObject([
        { outcome: 'dead_letter', rule: 'isolate-poison', why: expect.stringContaining(id) },
      ]);

      const answer = await api.call('POST', `/v1/dead-letters/${id}/replay`, { as: 'admin' });
      expect(answer.json()).toEqual({ dead_letter_id: id, replayed: true });
      expect(replayed.at(-1)).toEqual({ ...announcement, eventHash: expect.any(String) });
      const again = await api.call('POST', `/v1/dead-letters/${id}/replay`, { as: 'admin' });
      expect([again.status, again.json().error.code]).toEqual([404, 'DEAD_LETTER_UNKNOWN']);
    });

    test('stay on the list where the queue did not take the replay', async () => {
      const { id } = await poison();
      queueAway = true;
      const answer = await api.call('POST', `/v1/dead-letters/${id}/replay`, { as: 'admin' });
      queueAway = false;
      expect([answer.status, answer.json().error.code]).toEqual([503, 'QUEUE_UNAVAILABLE']);
      expect((await api.call('POST', `/v1/dead-letters/${id}/replay`, { as: 'admin' })).status).toBe(200);
    });

    test('a replay is not taken for the event delivered again since, and two replays of one letter are one event', async () => {
      const { announcement, id } = await poison();
      // The provider delivers the same event again, and this time it can be recorded.
      await api.record({ ...announcement, data: '1' });
      const row = (await api.pool.query('select * from sense.dead_letters where dead_letter_id = $1', [id]))
        .rows[0];
      const replayOnce = async () => {
        await api.call('POST', `/v1/dead-letters/${id}/replay`, { as: 'admin' });
        return api.record({ ...(replayed.at(-1) ?? announcement), data: '2' });
      };
      expect((await replayOnce()).records).toHaveLength(1);
      // As if we had died after the queue had it and before the row was gone.
      await api.pool.query(
        `insert into sense.dead_letters select * from json_populate_record(null::sense.dead_letters, $1)`,
        [JSON.stringify(row)],
      );
      expect((await replayOnce()).duplicates).toHaveLength(1);
    });
  });
});
