import type { Pool } from 'pg';

/**
 * Takes waiting jobs of a queue on Postgres out of it, in one statement and one commit: BullMQ's own call commits once
 * for each. Ours have no children, no schedule and no de-duplication, so their row is all there is.
 */
export const discardJobs = async (pool: Pool, queue: string, ids: readonly string[]): Promise<void> => {
  await pool.query({
    name: 'discard-jobs',
    text: `delete from job where queue = $1 and state = 'waiting' and id = any($2::text[])`,
    values: [queue, ids],
  });
};
