import { Client, type Pool } from 'pg';

/**
 * Ways to stop the product at an exact place, by locks in its database instead of by luck. A worker that runs into one
 * stands still in the middle of its transaction until `release`, and `blocked` says that it has come there.
 */
export type Hold = {
  /** How many sessions stand waiting for us now; `doing`: with this in their statement. */
  blocked(doing?: string): Promise<number>;
  release(): Promise<void>;
};

const connect = async (url: string): Promise<Client> => {
  const client = new Client({ connectionString: url, application_name: 'test hold' });
  // A test may cut off every connection of the database, these too; the hold is over then.
  client.on('error', () => undefined);
  await client.connect();
  return client;
};

const holdBy = async (url: string, take: string): Promise<Hold> => {
  const holder = await connect(url);
  // A session of its own: within a transaction pg_stat_activity never changes.
  const watcher = await connect(url);
  await holder.query(`begin; ${take}`);
  const { rows } = await holder.query<{ pid: number }>('select pg_backend_pid() as pid');
  const pid = rows[0]?.pid;
  return {
    async blocked(doing = '') {
      const found = await watcher.query(
        `select from pg_stat_activity where $1 = any(pg_blocking_pids(pid)) and strpos(query, $2) > 0`,
        [pid, doing],
      );
      return found.rowCount ?? 0;
    },
    async release() {
      await Promise.allSettled([holder.end(), watcher.end()]);
    },
  };
};

/** Everybody who would write to `table` waits; readers go on. */
export const holdWrites = (url: string, table: string): Promise<Hold> =>
  holdBy(url, `lock table ${table} in exclusive mode`);

/** Nobody gets anything from `tables`: a store that takes connections and answers nothing. */
export const holdAll = (url: string, tables: readonly string[]): Promise<Hold> =>
  holdBy(url, `lock table ${tables.join(', ')} in access exclusive mode`);

/**
 * Transactions that recorded something wait within their COMMIT: it was sent and is not answered. Who is killed there
 * has committed and does not know it.
 */
export const holdCommits = async (url: string, pool: Pool): Promise<Hold> => {
  await pool.query(`
    create function sense.wait_in_commit() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(77, 77); return null; end $$;
    create constraint trigger wait_in_commit after insert on sense.records
      deferrable initially deferred for each row execute function sense.wait_in_commit()`);
  return holdBy(url, 'select pg_advisory_xact_lock(77, 77)');
};

/** The first transactions record; those that find records for which `where` holds wait in the middle of theirs. */
export const holdLaterRecording = async (url: string, pool: Pool, where: string): Promise<Hold> => {
  await pool.query(`
    create function sense.wait_if_begun() returns trigger language plpgsql as $$
      begin
        if exists (select from sense.records where ${where}) then perform pg_advisory_xact_lock_shared(77, 78); end if;
        return null;
      end $$;
    create trigger wait_if_begun before insert on sense.records
      for each statement execute function sense.wait_if_begun()`);
  return holdBy(url, 'select pg_advisory_xact_lock(77, 78)');
};

/** The database is gone, as in a restart that takes a while: sessions are cut off and nobody gets in until `restore`. */
export const cutOff = async (url: string): Promise<{ restore(): Promise<void> }> => {
  const name = new URL(url).pathname.slice(1);
  const elsewhere = new URL(url);
  elsewhere.pathname = '/postgres';
  const asAdmin = async (sql: string) => {
    const client = new Client({ connectionString: elsewhere.href });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  await asAdmin(`alter database ${name} allow_connections false`);
  await asAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
  return { restore: () => asAdmin(`alter database ${name} allow_connections true`) };
};
