import type { Pool, PoolClient } from 'pg';

export type PostgresInspection = {
  version: string;
  fsync: string;
  synchronousCommit: string;
  fullPageWrites: string;
};

/** What a Postgres says about keeping what it is given, as this session's settings have it. */
export const inspectPostgres = async (db: Pool | PoolClient): Promise<PostgresInspection> => {
  const { rows } = await db.query<PostgresInspection>(`
    select current_setting('server_version') as version,
           current_setting('fsync') as fsync,
           current_setting('synchronous_commit') as "synchronousCommit",
           current_setting('full_page_writes') as "fullPageWrites"`);
  const [row] = rows;
  if (row === undefined) throw new Error('Postgres answered a select without a row');
  return row;
};
