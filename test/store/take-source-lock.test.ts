import type { Pool } from 'pg';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createPool } from '../../src/store/create-pool.ts';
import { takeSourceLock } from '../../src/store/take-source-lock.ts';
import { freshDatabase, hasPostgres } from '../helpers/stores.ts';

describe.skipIf(!hasPostgres)('the lock of a source', () => {
  const open = async () => {
    const database = await freshDatabase();
    const pools: Pool[] = [];
    onTestFinished(async () => {
      await Promise.all(pools.map((pool) => pool.end()));
      await database.drop();
    });
    return (): Pool => {
      const pool = createPool(database.url, { log: pino({ level: 'silent' }), max: 2 });
      pools.push(pool);
      return pool;
    };
  };

  test('one process holds it at a time, each source has its own, and a refusal keeps no connection', async () => {
    const newPool = await open();
    const [first, second] = [newPool(), newPool()];
    const lock = await takeSourceLock(first, 'ws');
    expect(lock).not.toBeNull();
    for (let round = 0; round < 5; round += 1) expect(await takeSourceLock(second, 'ws')).toBeNull();
    const other = await takeSourceLock(second, 'other');
    expect(other).not.toBeNull();
    await lock?.release();
    const taken = await takeSourceLock(second, 'ws');
    expect(taken).not.toBeNull();
    await Promise.all([other?.release(), taken?.release()]);
    expect((await second.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  test('a lost connection says so, and the lock is free for another', async () => {
    const newPool = await open();
    const [first, second] = [newPool(), newPool()];
    const lock = await takeSourceLock(first, 'ws');
    await second.query(
      `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    );
    await lock?.gone;
    await lock?.release();
    const next = await takeSourceLock(second, 'ws');
    expect(next).not.toBeNull();
    expect(await takeSourceLock(first, 'ws')).toBeNull();
    await next?.release();
  });
});
