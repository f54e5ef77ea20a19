import type { Pool, PoolClient } from 'pg';
import { notWithheldOf } from './not-withheld-of.ts';

type Options = {
  /** Sinks that are configured; a row of any other is left alone until its sink is back. Left out: all. */
  sinks?: readonly string[];
  /** Milliseconds since the last offer. */
  quietMs?: number;
};

/**
 * For the sweeper: ids (`<record id>_<sink>`) of surfacings that were offered more than `quietMs` ago and are still open,
 * at most `limit`, longest waiting first. Withheld records are left out until membership exists. Marks them as offered,
 * so that several sweepers share the work.
 */
export const offerPendingSurfacings = async (
  db: Pool | PoolClient,
  limit: number,
  { sinks, quietMs = 10_000 }: Options = {},
): Promise<string[]> => {
  const { rows } = await db.query<{ id: string }>({
    // No prepared name: the plan must know the limit.
    text: sql,
    values: [limit, quietMs, sinks],
  });
  return rows.map((row) => row.id);
};

const sql = `
with open as (
  select s.record_id, s.sink
  from sense.surfacings s
  where s.offered_at <= now() - $2::float8 * interval '1 millisecond'
    and ($3::text[] is null or s.sink = any($3)) and ${notWithheldOf('s.record_id', false)}
  order by s.offered_at
  limit $1
  for update of s skip locked
)
update sense.surfacings s set offered_at = now() from open
where s.record_id = open.record_id and s.sink = open.sink
returning s.record_id || '_' || s.sink as id
`;
