import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSurfacer } from '../../src/sinks/create-surfacer.ts';
import type { Sink } from '../../src/sinks/sink.ts';
import { parseSurfacingId, surfacingId } from '../../src/sinks/surfacing-id.ts';
import { offerPendingSurfacings } from '../../src/store/offer-pending-surfacings.ts';
import type { SurfacedRecord } from '../../src/store/read-surfacings.ts';
import { hasPostgres } from '../helpers/stores.ts';
import { createWakeBench, log } from '../wake/wake-bench.ts';

const recordingSink = (name: string, take: () => Promise<void> = async () => undefined) => {
  const taken: SurfacedRecord[] = [];
  const sink: Sink = {
    name,
    async surface(records) {
      await take();
      taken.push(...records);
    },
  };
  return { sink, taken, ids: () => taken.map(({ record_id }) => record_id) };
};

describe('surfacing ids', () => {
  it('carry record and sink, and read back', () => {
    const record = '0192f000-0000-7000-8000-000000000001';
    expect(parseSurfacingId(surfacingId(record, 'inbox_queue'))).toEqual({
      recordId: record,
      sink: 'inbox_queue',
    });
    expect(surfacingId(record, 'inbox_queue')).not.toContain(':');
  });
  it.each([
    '',
    'x',
    'inbox_queue',
    '0192f000-0000-7000-8000-000000000001',
    `0192f000-0000-7000-8000-00000000000G_x`,
  ])('%j is none of ours', (id) => {
    expect(parseSurfacingId(id)).toBeNull();
  });
});

describe.skipIf(!hasPostgres)('createSurfacer', () => {
  let bench: Awaited<ReturnType<typeof createWakeBench>>;
  beforeAll(async () => {
    bench = await createWakeBench();
  });
  afterAll(() => bench.close());
  beforeEach(() => bench.reset());

  const add = async (sinks: string[], over: Parameters<typeof bench.addRecord>[0] = {}) => {
    const record = await bench.addRecord(over);
    await bench.pool.query(
      `insert into sense.surfacings (record_id, sink, offered_at)
       select $1, unnest($2::text[]), now() - interval '1 minute'`,
      [record, sinks],
    );
    return record;
  };
  const open = async () =>
    Number((await bench.pool.query('select count(*) from sense.surfacings')).rows[0].count);
  const surfacer = (...sinks: Sink[]) => createSurfacer({ pool: bench.pool, sinks, log });

  it('S14: gives ids and attribution to each sink that wants the record, without payload, and closes the row', async () => {
    const one = await add(['a', 'b'], { data: '{"secret":"payload"}' });
    const two = await add(['a']);
    const [a, b] = [recordingSink('a'), recordingSink('b')];
    const ids = [surfacingId(two, 'a'), surfacingId(one, 'b'), surfacingId(one, 'a')];
    await surfacer(a.sink, b.sink).surface(ids);
    expect(a.ids()).toEqual([one, two]);
    expect(b.ids()).toEqual([one]);
    expect(a.taken[0]).toMatchObject({
      record_id: one,
      tenant_id: 'acme',
      principal: { id: 'user_42', kind: 'human' },
      binding_id: 'bnd_1',
      land: 'personal',
      pack_id: 'mail',
      ref: 'new_item',
      route: 'inbox',
    });
    expect(JSON.stringify(a.taken)).not.toContain('payload');
    expect(await open()).toBe(0);

    await surfacer(a.sink, b.sink).surface(ids);
    expect(a.ids()).toEqual([one, two]);
  });

  it('G4: a record that was never committed does not surface', async () => {
    const a = recordingSink('a');
    await surfacer(a.sink).surface([surfacingId('01920000-0000-7000-8000-000000000000', 'a')]);
    expect(a.taken).toEqual([]);
  });

  it('G4: what a sink did not take stays open, is offered again, and does not hold up other sinks', async () => {
    const record = await add(['a', 'b']);
    let away = true;
    const a = recordingSink('a', async () => {
      if (away) throw new Error('the queue is away');
    });
    const b = recordingSink('b');
    const ids = [surfacingId(record, 'a'), surfacingId(record, 'b')];
    await expect(surfacer(a.sink, b.sink).surface(ids)).rejects.toThrow('the queue is away');
    expect(b.ids()).toEqual([record]);
    expect(await open()).toBe(1);

    away = false;
    const offered = await offerPendingSurfacings(bench.pool, 10);
    expect(offered).toEqual([surfacingId(record, 'a')]);
    expect(await offerPendingSurfacings(bench.pool, 10)).toEqual([]);
    await surfacer(a.sink, b.sink).surface(offered);
    expect(a.ids()).toEqual([record]);
    expect(await open()).toBe(0);
  });

  it('S18: a withheld brain record surfaces only when its Principal is a member of the project', async () => {
    const record = await add(['a'], { principal: 'user_7', land: 'brain', project: 'apollo' });
    const a = recordingSink('a');
    await surfacer(a.sink).surface([surfacingId(record, 'a')]);
    expect(a.taken).toEqual([]);
    expect(await offerPendingSurfacings(bench.pool, 10)).toEqual([]);
    expect(await open()).toBe(1);

    await bench.pool.query(`update sense.principals set projects = '{apollo}' where principal_id = 'user_7'`);
    await surfacer(a.sink).surface(await offerPendingSurfacings(bench.pool, 10));
    expect(a.ids()).toEqual([record]);
  });

  it('leaves open what no sink here wants, and strange ids alone', async () => {
    const record = await add(['gone']);
    const a = recordingSink('a');
    await surfacer(a.sink).surface([surfacingId(record, 'gone'), 'nonsense', '']);
    expect(await open()).toBe(1);
    expect(await offerPendingSurfacings(bench.pool, 10, { sinks: ['a'] })).toEqual([]);
    expect(await offerPendingSurfacings(bench.pool, 10, { sinks: ['gone'] })).toEqual([
      surfacingId(record, 'gone'),
    ]);
  });
});
