import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPool } from '../../src/store/create-pool.ts';
import { keepSourceActivity } from '../../src/store/keep-source-activity.ts';
import { freshDatabase, hasPostgres } from '../helpers/stores.ts';

describe.skipIf(!hasPostgres)('keepSourceActivity', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: Pool;
  beforeAll(async () => {
    database = await freshDatabase();
    pool = createPool(database.url, { log: pino({ level: 'silent' }) });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  test('keeps the latest of all processes, whoever comes last, and since when a source is watched', async () => {
    const [first] = await keepSourceActivity(pool, new Map([['a', null]]));
    expect(first).toMatchObject({ source: 'a', acceptedAt: null });
    const both = await Promise.all([
      keepSourceActivity(
        pool,
        new Map([
          ['b', 1_000],
          ['a', 7_000],
        ]),
      ),
      keepSourceActivity(
        pool,
        new Map([
          ['a', 5_000],
          ['b', null],
        ]),
      ),
    ]);
    expect(both.flat()).toHaveLength(4);
    const kept = await keepSourceActivity(
      pool,
      new Map([
        ['a', 6_000],
        ['b', null],
      ]),
    );
    expect(kept).toContainEqual({ ...first, acceptedAt: 7_000 });
    expect(kept.find(({ source }) => source === 'b')?.acceptedAt).toBe(1_000);
  });

  test('says nothing of sources that were not asked for', async () => {
    expect(await keepSourceActivity(pool, new Map())).toEqual([]);
  });
});
