import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { listWakes } from '../../src/store/list-wakes.ts';
import { offerDueWakes } from '../../src/store/offer-due-wakes.ts';
import { hasPostgres } from '../helpers/stores.ts';
import { createWakeBench, recordingExecute } from './wake-bench.ts';

describe.skipIf(!hasPostgres)('offerDueWakes', () => {
  let bench: Awaited<ReturnType<typeof createWakeBench>>;
  beforeAll(async () => {
    bench = await createWakeBench();
  });
  afterAll(() => bench.close());
  beforeEach(() => bench.reset());

  const age = (seconds: number) =>
    bench.pool.query(
      `update sense.wakes set due_at = due_at - $1 * interval '1 second', offered_at = offered_at - $1 * interval '1 second'`,
      [seconds],
    );

  it('G4: offers what is due and quiet, once per quiet time', async () => {
    const id = await bench.addWake(await bench.addRecord());
    expect(await offerDueWakes(bench.pool, 10)).toEqual([]);
    await age(11);
    expect(await offerDueWakes(bench.pool, 10)).toEqual([id]);
    expect(await offerDueWakes(bench.pool, 10)).toEqual([]);
    await age(11);
    expect(await offerDueWakes(bench.pool, 10)).toEqual([id]);
  });

  it('G4: what is over is never offered again', async () => {
    const ids = await Promise.all([0, 1, 2].map(async () => bench.addWake(await bench.addRecord())));
    await bench.runner(recordingExecute().execute).run(ids);
    await age(3600);
    expect(await offerDueWakes(bench.pool, 10)).toEqual([]);
  });

  it('leaves alone what waits for its time', async () => {
    await bench.addWake(await bench.addRecord(), { dueInMs: 3_600_000 });
    await bench.pool.query(`update sense.wakes set offered_at = now() - interval '1 hour'`);
    expect(await offerDueWakes(bench.pool, 10, { quietMs: 0 })).toEqual([]);
  });

  it('is bounded, and several sweepers share the work', async () => {
    const ids = await Promise.all(
      Array.from({ length: 20 }, async () => bench.addWake(await bench.addRecord())),
    );
    await age(11);
    const shares = await Promise.all(Array.from({ length: 4 }, () => offerDueWakes(bench.pool, 5)));
    for (const share of shares) expect(share.length).toBeLessThanOrEqual(5);
    const offered = shares.flat();
    expect(new Set(offered).size).toBe(offered.length);
    const rest = await offerDueWakes(bench.pool, 20);
    expect([...offered, ...rest].sort()).toEqual([...ids].sort());
  });

  it('lists wakes newest first, page by page, and with a record the wake that it was coalesced into', async () => {
    const records = [await bench.addRecord(), await bench.addRecord(), await bench.addRecord()];
    const ids: string[] = [];
    for (const record of records) ids.push(await bench.addWake(record));
    const [first, second] = await listWakes(bench.pool, { limit: 2 });
    expect([first?.wake_id, second?.wake_id]).toEqual([ids[2], ids[1]]);
    expect(
      (await listWakes(bench.pool, { limit: 2, before: second?.wake_id })).map((row) => row.wake_id),
    ).toEqual([ids[0]]);
    await bench.pool.query(
      `update sense.wakes set state = 'coalesced', lead_wake_id = $1 where wake_id = $2`,
      [ids[0], ids[2]],
    );
    const ofRecord = await listWakes(bench.pool, { recordId: records[2], limit: 10 });
    expect(ofRecord.map((row) => row.wake_id).sort()).toEqual([ids[0], ids[2]].sort());
    expect(await listWakes(bench.pool, { state: 'coalesced', limit: 10 })).toHaveLength(1);
  });
});
