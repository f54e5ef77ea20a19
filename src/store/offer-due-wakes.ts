import type { Pool, PoolClient } from 'pg';
import { notWithheldOf } from './not-withheld-of.ts';

/**
 * For the sweeper: wakes that could run and that nobody seems to know of, at most `limit`, most overdue first. Pending
 * ones that were due and offered more than `quietMs` ago (the queue lost them, or a process died before it offered), and
 * running ones whose claim ran out (their runner was killed). What is over is never among them, nor what is withheld:
 * that is offered when membership exists. Marks them as offered, so that several sweepers share the work.
 */
export const offerDueWakes = async (
  db: Pool | PoolClient,
  limit: number,
  { quietMs = 10_000 }: { quietMs?: number } = {},
): Promise<string[]> => {
  const { rows } = await db.query<{ wake_id: string }>({
    // No prepared name: the plan must know the limit.
    text: sql,
    values: [limit, quietMs],
  });
  return rows.map((row) => row.wake_id);
};

const sql = `
with due as (
  select w.wake_id
  from sense.wakes w
  where w.state in ('pending', 'running') and w.due_at <= now()
    and (w.state = 'pending' or w.claimed_until <= now())
    and greatest(w.offered_at, w.due_at) <= now() - $2::float8 * interval '1 millisecond'
    and ${notWithheldOf('w.record_id', true)}
  order by w.due_at
  limit $1
  for update of w skip locked
)
update sense.wakes w set offered_at = now() from due where w.wake_id = due.wake_id returning w.wake_id
`;
