import type { Pool } from 'pg';

/**
 * Puts jobs whose lock ran out back to waiting, where they stood: at the head of their queue. BullMQ's own
 * `move_stalled_jobs_to_wait` gives them a new number on Postgres, that is, sends them behind everything that came
 * later, and events of one account would be recorded out of order (G8; bullmq 6.7.0, on Redis it is the head).
 *
 * Locks are written with the clock of the worker's machine, as here. A clock that is ahead takes a batch from a worker
 * that still runs it; both may then run it, which is harmless.
 */
export const recoverStalledJobs = async (pool: Pool, queue: string, maxStalls: number): Promise<number> => {
  const { rowCount } = await pool.query(
    `with stalled as (
       update job
          set state = 'waiting', lock_token = null, locked_until_ms = null, stalled_marked = false,
              stalled_count = stalled_count + 1,
              deferred_failure = case when stalled_count >= $3 then 'job stalled more than allowable limit'
                                      else deferred_failure end
        where queue = $1 and state = 'active' and locked_until_ms < $2
       returning id)
     select pg_notify('bullmq_jobs', $1) from stalled`,
    [queue, Date.now(), maxStalls],
  );
  return rowCount ?? 0;
};
