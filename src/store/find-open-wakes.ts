import type { Pool, PoolClient } from 'pg';
import { notWithheld } from './scope.ts';

/** A wake that is not over, as its runner must know it before it claims. */
export type OpenWake = {
  id: string;
  rule: string;
  principal: string;
  /** It has run before and comes back after a transient failure or a kill; it is never coalesced. */
  begun: boolean;
  /** Milliseconds until it may be claimed; 0 means now. */
  waitMs: number;
  /**
   * `running`: somebody else's claim holds. `withheld`: a `brain` record whose Principal is not a member of its project.
   * `orphaned`: its record is gone (retention).
   */
  standing: 'free' | 'running' | 'withheld' | 'orphaned';
};

/** Those of `ids` that are still open, oldest first: one look for a whole batch of offers. */
export const findOpenWakes = async (db: Pool | PoolClient, ids: readonly string[]): Promise<OpenWake[]> => {
  const { rows } = await db.query<OpenWake>({ name: 'find-open-wakes', text: sql, values: [ids] });
  return rows;
};

const sql = `
select
  w.wake_id as id, w.wake_rule as rule, w.principal_id as principal, w.started_at is not null as begun,
  case when w.state = 'pending'
    then greatest(0, ceil(extract(epoch from w.due_at - clock_timestamp()) * 1000))::float8
    else 0 end as "waitMs",
  case
    when w.state = 'running' and w.claimed_until > clock_timestamp() then 'running'
    when r.record_id is null then 'orphaned'
    when not ${notWithheld} then 'withheld'
    else 'free' end as standing
from sense.wakes w left join sense.records r on r.record_id = w.record_id
where w.wake_id = any($1::uuid[]) and w.state in ('pending', 'running')
order by w.created_at, w.wake_id
`;
