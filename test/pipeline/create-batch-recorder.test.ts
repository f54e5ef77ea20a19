import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Batch } from '../../src/domain/announcement.ts';
import { hashId } from '../../src/domain/hash-id.ts';
import { createBatchRecorder } from '../../src/pipeline/create-batch-recorder.ts';
import { createPool } from '../../src/store/create-pool.ts';
import { lockDirectory } from '../../src/store/lock-directory.ts';
import { sampleAnnouncement, sampleBatch, samplePacks, seedDirectory } from '../helpers/samples.ts';
import { freshDatabase, hasPostgres } from '../helpers/stores.ts';

const log = pino({ level: 'silent' });

describe.skipIf(!hasPostgres)('createBatchRecorder', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: Pool;

  beforeAll(async () => {
    database = await freshDatabase();
    pool = createPool(database.url, { log });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });
  beforeEach(async () => {
    await pool.query(
      `truncate sense.principals, sense.bindings, sense.grants, sense.activation, sense.records, sense.drops,
         sense.duplicates, sense.dead_letters, sense.wakes, sense.surfacings, sense.batches cascade`,
    );
    await seedDirectory(pool);
  });

  const recorder = (over: Partial<Parameters<typeof createBatchRecorder>[0]> = {}) => {
    const parts = { pool, packs: samplePacks, wakeRules: [], sinks: [], log, ...over };
    const { record } = createBatchRecorder(parts);
    return { record: (...batches: Batch[]) => record(batches) };
  };

  const count = async (table: string): Promise<number> =>
    Number((await pool.query(`select count(*) from sense.${table}`)).rows[0].count);

  it('S14: a record says Principal, Binding, land, pack and ref', async () => {
    const announcement = sampleAnnouncement({ occurredAt: '2026-01-02T03:04:05.000Z', state: null });
    await recorder().record(sampleBatch(announcement));
    const { rows } = await pool.query('select * from sense.records');
    expect(rows).toMatchObject([
      {
        tenant_id: 'acme',
        principal_id: 'user_42',
        principal_kind: 'human',
        binding_id: 'bnd_mail',
        land: 'personal',
        pack_id: 'mail',
        ref: 'new_item',
        route: 'inbox',
        source_id: 'mail-hook',
        delivery_id: announcement.delivery,
      },
    ]);
  });

  it.each([
    '{"id":9007199254740993,"a":1,"a":2}',
    '{"nul":"\\u0000","lone":"\\ud800","slash":"\\/","emoji":"😀","line":"\u2028"}',
    '{"__proto__":{"polluted":true},"b":1.10000000000000000001,"n":1e400}',
    ' [1 , 2 ]',
    '"\\\\u0000"',
    'null',
  ])('G9: %s is kept as it was sent', async (data) => {
    await recorder().record(sampleBatch(sampleAnnouncement({ data })));
    const { rows } = await pool.query('select data from sense.records');
    expect(rows).toEqual([{ data }]);
  });

  it('G2: a second delivery of an event is a duplicate of its record; the first payload stays', async () => {
    const first = sampleAnnouncement({ event: '4711', data: '{"v":1}' });
    await recorder().record(sampleBatch(first));
    const again = await recorder().record(
      sampleBatch({ ...first, delivery: 'retry-1' }, { ...first, delivery: 'retry-2', data: '{"v":2}' }),
    );
    expect(again).toMatchObject({ records: [], duplicates: [{}, {}] });
    expect((await pool.query('select data from sense.records')).rows).toEqual([{ data: '{"v":1}' }]);
    expect(
      (await pool.query('select delivery_id, same_payload from sense.duplicates order by delivery_id')).rows,
    ).toEqual([
      { delivery_id: 'retry-1', same_payload: true },
      { delivery_id: 'retry-2', same_payload: false },
    ]);
  });

  it('G2: an event that stands twice in one batch is recorded once', async () => {
    const one = sampleAnnouncement({ event: 'twice' });
    const outcome = await recorder().record(sampleBatch(one, { ...one, delivery: 'other' }));
    expect(outcome).toMatchObject({
      records: [{ announcement: { delivery: one.delivery } }],
      duplicates: [{}],
    });
    expect(await count('records')).toBe(1);
  });

  it('the same event id at another ref or Binding is another event', async () => {
    const one = sampleAnnouncement({ event: 'same' });
    await recorder().record(
      sampleBatch(
        one,
        { ...one, ref: 'item.updated' },
        sampleAnnouncement({ event: 'same', pack: 'issues', accounts: ['installation:77'] }),
      ),
    );
    expect(await count('records')).toBe(3);
  });

  it.each(['42', 'a:b', '{x}', ' ', '\0', '\ud800', '\ud801', '😀', 'x'.repeat(100_000)])(
    'a hostile event id (%#) is recorded once and told apart from the others',
    async (id) => {
      const given = sampleAnnouncement({ event: 'shown', eventHash: hashId(id) });
      await recorder().record(
        sampleBatch(given, sampleAnnouncement({ event: 'shown', eventHash: hashId(`${id}'`) })),
      );
      await recorder().record(sampleBatch(given));
      expect(await count('records')).toBe(2);
    },
  );

  it('a batch that is run again after its commit changes nothing', async () => {
    const batch = sampleBatch(sampleAnnouncement(), sampleAnnouncement({ ref: 'nope' }));
    expect(await recorder().record(batch)).toMatchObject({ decided: 2 });
    expect(await recorder().record(batch)).toMatchObject({
      decided: 0,
      records: [],
      duplicates: [],
      drops: [],
    });
    expect([await count('records'), await count('drops'), await count('duplicates')]).toEqual([1, 1, 0]);
  });

  it('two workers that hold the same batch record it once', async () => {
    const batch = sampleBatch(...Array.from({ length: 50 }, () => sampleAnnouncement()));
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => recorder().record(batch)));
    expect(outcomes.filter(({ decided }) => decided > 0)).toHaveLength(1);
    expect(await count('records')).toBe(50);
  });

  it('G8: batches that wait together are recorded together and in order; one that was committed before is left out', async () => {
    const events = Array.from({ length: 6 }, (_, n) => sampleAnnouncement({ event: `e${n}` }));
    const batches = [0, 2, 4].map((from) => sampleBatch(...events.slice(from, from + 2)));
    const [first, second, third] = batches as [Batch, Batch, Batch];
    await recorder().record(second);
    const outcome = await recorder().record(first, second, third);
    expect(outcome).toMatchObject({ decided: 4, duplicates: [] });
    expect(outcome.records.map(({ announcement }) => announcement.event)).toEqual(['e0', 'e1', 'e4', 'e5']);
    expect(await recorder().record(first, second, third)).toMatchObject({ decided: 0 });
    expect(await count('records')).toBe(6);
  });

  it('two workers that hold overlapping batches record each once', async () => {
    const batches = Array.from({ length: 8 }, () => sampleBatch(sampleAnnouncement(), sampleAnnouncement()));
    await Promise.all([0, 1, 2, 3].map((from) => recorder().record(...batches.slice(from, from + 5))));
    expect([await count('records'), await count('duplicates')]).toEqual([16, 0]);
  });

  it('G6: a drop keeps why, and nothing of the payload', async () => {
    const outcome = await recorder().record(
      sampleBatch(
        sampleAnnouncement({ ref: 'nope', data: '{"secret":"s3cr3t"}' }),
        sampleAnnouncement({ accounts: ['who@example.com'] }),
      ),
    );
    expect(outcome.drops.map(({ drop }) => drop.reason)).toEqual(['ref_undeclared', 'binding_unknown']);
    const { rows } = await pool.query('select * from sense.drops');
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain('s3cr3t');
  });

  it('hostile text in ref, pack and account ends as a drop, not as a fault of the batch', async () => {
    const outcome = await recorder().record(
      sampleBatch(
        sampleAnnouncement({ ref: 'a\0b\ud800' }),
        sampleAnnouncement({ pack: '\0' }),
        sampleAnnouncement({ accounts: ['\ud800', 'x\0'] }),
        sampleAnnouncement(),
      ),
    );
    expect(outcome.drops.map(({ drop }) => drop.reason)).toEqual([
      'ref_undeclared',
      'pack_unknown',
      'binding_unknown',
    ]);
    expect(outcome.records).toHaveLength(1);
  });

  it('poison is isolated: one bad announcement becomes a dead letter, the others are recorded in order', async () => {
    const good = Array.from({ length: 9 }, (_, n) => sampleAnnouncement({ event: `good-${n}` }));
    const bad = sampleAnnouncement({ event: 'bad', data: '{not json' });
    const outcome = await recorder().record(sampleBatch(...good.slice(0, 4), bad, ...good.slice(4)));
    expect(outcome.deadLetters).toMatchObject([{ announcement: { event: 'bad' } }]);
    expect(outcome.records.map(({ announcement }) => announcement.event)).toEqual(
      good.map(({ event }) => event),
    );
    const { rows } = await pool.query('select event_id from sense.records order by record_id');
    expect(rows.map((row) => row.event_id)).toEqual(good.map(({ event }) => event));
    const [letter] = (await pool.query('select announcement, reason from sense.dead_letters')).rows;
    expect(JSON.parse(letter.announcement)).toEqual(bad);
    expect(letter.reason).toContain('json');
  });

  it('poison with hostile text in every field still ends as a dead letter that replays to the same', async () => {
    const bad = sampleAnnouncement({
      event: '\0\ud800',
      delivery: '\ud800',
      data: '\0',
      state: '\0',
      receivedAt: 'never',
    });
    const outcome = await recorder().record(sampleBatch(bad));
    expect(outcome.deadLetters).toHaveLength(1);
    const [letter] = (await pool.query('select announcement from sense.dead_letters')).rows;
    expect(JSON.parse(letter.announcement)).toEqual(bad);
  });

  it('an announcement on which deciding throws is a dead letter, and the others are recorded', async () => {
    const packs = new Map(samplePacks);
    packs.set('files', {
      pack: {
        id: 'files',
        senseOnly: true,
        verbs: new Map(),
        connectVerbs: new Set(),
        stimuli: new Map([['file.changed', { operation: 'read', land: 'local', confirm: false }]]),
      },
      routes: new Map(),
    });
    await pool.query(`insert into sense.bindings values ('bnd_ws', 'files', 'user_42', null, 'local', null);
      insert into sense.grants (grant_id, principal_id, capability, pack_id) values ('g_f', 'user_42', 'sense.enable', 'files');
      insert into sense.activation values ('files', 'on')`);
    const bad = sampleAnnouncement({
      pack: 'files',
      ref: 'file.changed',
      binding: 'bnd_ws',
      workspace: '/srv/ws',
      data: '{',
    });
    const outcome = await recorder({ packs }).record(sampleBatch(bad, sampleAnnouncement()));
    expect(outcome.deadLetters).toMatchObject([{ announcement: { pack: 'files' } }]);
    expect(outcome.records).toHaveLength(1);
  });

  it('G4: wakes and surfacings are committed with their record, and not at all for a duplicate', async () => {
    const wakeRules = [
      {
        id: 'fetch',
        on: { pack: 'mail', ref: 'new_item' },
        steps: [],
        coalesceMs: 5000,
        perPrincipalPerHour: null,
      },
      {
        id: 'other',
        on: { pack: 'issues', ref: 'new_item' },
        steps: [],
        coalesceMs: 0,
        perPrincipalPerHour: null,
      },
    ];
    const parts = { wakeRules, sinks: ['inbox_queue'] };
    const one = sampleAnnouncement({ event: 'w' });
    const silent = sampleAnnouncement({ ref: 'run.completed' });
    await recorder(parts).record(sampleBatch(one, silent));
    await recorder(parts).record(sampleBatch({ ...one, delivery: 'again' }));
    const { rows } = await pool.query(
      `select w.wake_rule, w.state, r.event_id, w.due_at - w.created_at = interval '5 s' as coalesced
       from sense.wakes w join sense.records r using (record_id)`,
    );
    expect(rows).toEqual([{ wake_rule: 'fetch', state: 'pending', event_id: 'w', coalesced: true }]);
    expect((await pool.query('select sink from sense.surfacings')).rows).toEqual([{ sink: 'inbox_queue' }]);
  });

  it('G3: a revoke waits for the batch that read the grant, and no batch after it records', async () => {
    const revoking = await pool.connect();
    await revoking.query('begin');
    await lockDirectory(revoking, 'exclusive');
    // Queued behind the revoke: this batch must see what the revoke did, although it was given before it committed.
    const late = recorder().record(sampleBatch(sampleAnnouncement()));
    await revoking.query(`delete from sense.grants where grant_id = 'g_mail'`);
    await revoking.query('commit');
    revoking.release();
    expect((await late).drops).toMatchObject([{ drop: { reason: 'sense_not_granted' } }]);
    expect(await count('records')).toBe(0);
  });

  it('an infrastructure fault rejects, commits nothing, and the same batch succeeds later', async () => {
    const batch = sampleBatch(sampleAnnouncement());
    const blocker = await pool.connect();
    await blocker.query('begin; lock table sense.records in access exclusive mode');
    const failing = recorder().record(batch);
    await expect
      .poll(
        async () =>
          (
            await pool.query(
              `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
            )
          ).rows.length,
      )
      .toBe(1);
    await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    await expect(failing).rejects.toThrow();
    await blocker.query('rollback');
    blocker.release();
    expect(await recorder().record(batch)).toMatchObject({ decided: 1, records: [{}] });
  });
});
