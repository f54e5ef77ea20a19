import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ackLease } from '../../src/store/ack-lease.ts';
import { applyDirectory } from '../../src/store/apply-directory.ts';
import { createPool } from '../../src/store/create-pool.ts';
import { leaseRecords } from '../../src/store/lease-records.ts';
import { freshDatabase, hasPostgres } from '../helpers/stores.ts';

const everyone = { tenant: 'acme', principals: null };

describe.skipIf(!hasPostgres)('the queries of the inbox', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let pool: Pool;
  beforeAll(async () => {
    database = await freshDatabase();
    pool = createPool(database.url, { log: pino({ level: 'silent' }) });
    await pool.query(`
      insert into sense.records (record_id, tenant_id, principal_id, principal_kind, binding_id, land, pack_id, ref, route,
        source_id, event_id, event_hash, delivery_id, received_at, data, acked_at)
      select gen_random_uuid(), 'acme', 'user_42', 'human', 'b', 'personal', 'mail', 'new_item', 'inbox', 's', n::text,
        int4send(n), n::text, now(), '{}', case when n <= 18000 then now() end from generate_series(1, 20000) n`);
    await pool.query('analyze sense.records');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  /** Plan of what a call runs, as Postgres chose it for the real values. */
  const planOf = async (call: (db: Pool) => Promise<unknown>): Promise<string> => {
    let plan = '';
    const spy = {
      query: async (text: string, values: unknown[]) => {
        const { rows } = await pool.query(`explain ${text}`, values);
        plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        return { rows: [] };
      },
    };
    await call(spy as unknown as Pool);
    return plan;
  };

  test('a lease walks what is in the inbox, in order, not what has long been acknowledged', async () => {
    const plan = await planOf((db) =>
      leaseRecords(db, everyone, { leaseId: randomUUID(), max: 10, leaseSeconds: 60 }),
    );
    expect(plan).toContain('records_inbox');
    expect(plan).not.toMatch(/Seq Scan on records r\b/);
  });

  test('acknowledging a lease finds its records by the lease', async () => {
    const plan = await planOf((db) => ackLease(db, everyone, randomUUID(), undefined));
    expect(plan).toContain('records_lease');
  });

  test('many leasers and acknowledgers at once: every record is had exactly once', async () => {
    const had: string[] = [];
    const work = async () => {
      for (let round = 0; round < 5; round += 1) {
        const leaseId = randomUUID();
        const { records } = await leaseRecords(pool, everyone, { leaseId, max: 50, leaseSeconds: 60 });
        const ids = records.map(({ head }) => head.record_id);
        expect(await ackLease(pool, everyone, leaseId, ids)).toEqual([...ids].sort());
        had.push(...ids);
      }
    };
    await Promise.all([work(), work(), work(), work()]);
    expect(had).toHaveLength(1_000);
    expect(new Set(had).size).toBe(1_000);
  });

  test('a directory change whose connection dies changes nothing and blocks nobody', async () => {
    const holder = await pool.connect();
    await holder.query('begin; select pg_advisory_xact_lock_shared(386142, 1)');
    const principals = [{ id: 'user_1', kind: 'human', tenant: 'acme', projects: [] }];
    const directory = { principals, bindings: [], grants: [], activation: {} };
    const change = applyDirectory(pool, directory);
    const failed = expect(change).rejects.toThrow();
    const waiting = async () =>
      (
        await pool.query(
          "select pid from pg_locks where locktype = 'advisory' and classid = 386142 and not granted and database = (select oid from pg_database where datname = current_database())",
        )
      ).rows;
    await expect.poll(async () => (await waiting()).length).toBe(1);
    await pool.query('select pg_terminate_backend($1)', [(await waiting())[0]?.pid]);
    await failed;
    await holder.query('commit');
    holder.release();
    expect((await pool.query('select from sense.principals')).rowCount).toBe(0);
    expect(await applyDirectory(pool, directory)).toEqual([
      { kind: 'principal', id: 'user_1', change: 'created' },
    ]);
  });
});
