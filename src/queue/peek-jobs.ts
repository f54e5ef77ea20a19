import type { Pool } from 'pg';
import type { PeekedJob } from './create-job-source.ts';

/**
 * The waiting jobs of a queue on Postgres, in the order in which BullMQ would take them, in one statement: its own calls
 * read one job each.
 */
export const peekJobs = async (pool: Pool, queue: string, limit: number): Promise<readonly PeekedJob[]> => {
  const { rows } = await pool.query<PeekedJob>({
    name: 'peek-jobs',
    text: `select id, data::text as data, deferred_failure as doomed from job
           where queue = $1 and state = 'waiting' order by priority, seq limit $2`,
    values: [queue, limit],
  });
  return rows;
};
