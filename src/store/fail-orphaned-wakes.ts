import type { Pool, PoolClient } from 'pg';

/**
 * Ends open wakes whose record is gone (retention): there is nothing left that they could read back.
 * @returns how many were ended
 */
export const failOrphanedWakes = async (db: Pool | PoolClient, ids: readonly string[]): Promise<number> => {
  const { rowCount } = await db.query({
    name: 'fail-orphaned-wakes',
    text: `update sense.wakes w set state = 'failed', claimed_until = null, finished_at = clock_timestamp()
      where w.wake_id = any($1::uuid[])
        and (w.state = 'pending' or w.state = 'running' and w.claimed_until <= clock_timestamp())
        and not exists (select from sense.records r where r.record_id = w.record_id)`,
    values: [ids],
  });
  return rowCount ?? 0;
};
