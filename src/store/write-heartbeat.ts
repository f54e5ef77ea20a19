import type { Pool } from 'pg';

/** A real write, for readiness: a Postgres that answers reads but can't write is not ready. */
export const writeHeartbeat = async (db: Pool, writer: string): Promise<void> => {
  await db.query(
    `insert into sense.heartbeats (writer, at) values ($1, now())
     on conflict (writer) do update set at = excluded.at`,
    [writer],
  );
};
