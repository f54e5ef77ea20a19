import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPool } from '../../src/store/create-pool.ts';
import { migrate } from '../../src/store/migrate.ts';
import { freshDatabase, hasPostgres } from '../helpers/stores.ts';

const log = pino({ level: 'silent' });

describe.skipIf(!hasPostgres)('migrate', () => {
  let admin: Client;
  let fresh: Awaited<ReturnType<typeof freshDatabase>>;
  let emptyUrl: string;
  const name = `m_${randomBytes(6).toString('hex')}`;

  beforeAll(async () => {
    fresh = await freshDatabase();
    admin = new Client({ connectionString: fresh.url });
    await admin.connect();
    await admin.query(`create database ${name}`);
    const url = new URL(fresh.url);
    url.pathname = `/${name}`;
    emptyUrl = url.href;
  });
  afterAll(async () => {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
    await fresh.drop();
  });

  test('two processes that migrate at once both succeed, and each migration is applied once', async () => {
    const applied = await Promise.all([1, 2, 3].map(() => migrate(emptyUrl, log)));
    const lengths = applied.map((names) => names.length).sort();
    expect(lengths.slice(0, 2)).toEqual([0, 0]);
    expect(lengths[2]).toBeGreaterThan(0);

    const pool = createPool(emptyUrl, { log });
    const { rows } = await pool.query('select schemaname, tablename from pg_tables order by 1, 2');
    await pool.end();
    const tables = rows.map((row) => `${row.schemaname}.${row.tablename}`);
    expect(tables).toContain('sense.records');
    expect(tables.filter((table) => table.startsWith('public.'))).toEqual([]);
  });

  test('a database that does not answer is DATABASE_UNREACHABLE and says where to look', async () => {
    await expect(migrate('postgres://nobody@127.0.0.1:1/none', log)).rejects.toMatchObject({
      code: 'DATABASE_UNREACHABLE',
      message: expect.stringContaining('DATABASE_URL'),
    });
  });
});

describe.skipIf(!hasPostgres)('createPool', () => {
  test('G9: json comes back as the text it holds', async () => {
    const { url, drop } = await freshDatabase();
    const pool = createPool(url, { log });
    const text = '{"id":9007199254740993,"a":1,"a":2, "n":1.10,"e":"\\u0000"}';
    const { rows } = await pool.query('select $1::json as data, \'{"a":1}\'::jsonb as parsed', [text]);
    expect(rows[0]).toEqual({ data: text, parsed: { a: 1 } });
    await pool.end();
    await drop();
  });

  test('a connection that the server ends while idle does not end us', async () => {
    const { url, drop } = await freshDatabase();
    const pool = createPool(url, { log });
    const { rows } = await pool.query('select pg_backend_pid() as pid');
    const other = createPool(url, { log });
    await other.query('select pg_terminate_backend($1)', [rows[0].pid]);
    await other.end();
    await expect.poll(async () => (await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await pool.end();
    await drop();
  });

  test('a transaction left open is ended by the server, so the locks it holds go', async () => {
    const { url, drop } = await freshDatabase();
    const pool = createPool(url, { log, idleInTransactionTimeoutMs: 100 });
    const client = await pool.connect();
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock(7)');
    client.on('error', () => undefined);
    const other = await pool.connect();
    // Waits for the lock; it is granted when the forgotten transaction is ended.
    await other.query('select pg_advisory_lock(7)');
    other.release();
    client.release(true);
    await pool.end();
    await drop();
  });
});
