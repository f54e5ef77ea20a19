import type { Pool, PoolClient } from 'pg';
import type { StepOutcome } from '../domain/execute.ts';
import type { SenseRecord } from '../domain/record.ts';
import { type RecordRow, recordColumns, toRecord } from './record-row.ts';
import { notWithheld } from './scope.ts';

export type ClaimTerms = {
  wakeId: string;
  rule: string;
  principal: string;
  /** Take every pending wake of the same rule and Principal along as one. */
  coalesce: boolean;
  /** Runs of this rule for this Principal in the last hour; null: no bound. */
  perPrincipalPerHour: number | null;
  /** Milliseconds that the claim holds. It must be longer than a step can take. */
  claimMs: number;
};

/** A wake that is ours until its claim runs out. */
export type ClaimedWake = {
  id: string;
  /** How often it was claimed, this time included. */
  attempts: number;
  /** Names this very claim: whoever writes later must still hold it (a stopped runner wakes up after another took over). */
  claim: string;
  /** Outcomes of earlier attempts; the leading `done` ones are not run again. */
  steps: readonly StepOutcome[];
  record: SenseRecord;
  /** The record's project where its Principal is a member of it, else null. */
  projectId: string | null;
};

export type Claim = {
  /** Null where there was nothing to claim any more, or the budget is spent. */
  wake: ClaimedWake | null;
  suppressed: number;
  coalesced: number;
};

type Row = RecordRow & {
  wake_id: string;
  wake_state: 'running' | 'suppressed' | 'coalesced';
  attempts: number;
  claim: string;
  steps: string;
  member: boolean;
};

/**
 * Claims a wake for one run: of several that coalesce the oldest leads and the others end as `coalesced` beside it; over
 * budget the leader ends as `suppressed`. A wake that has begun before is claimed alone and spends no budget again. Two
 * claimers of one rule and Principal wait for each other, so a budget can't be overspent by racing.
 */
export const claimWake = async (pool: Pool, terms: ClaimTerms): Promise<Claim> => {
  if (!terms.coalesce && terms.perPrincipalPerHour === null) return claim(pool, terms);
  const client = await pool.connect();
  let fault: Error | undefined;
  try {
    await client.query('begin');
    // A statement of its own: the claim's snapshot must be taken after the wait.
    await client.query({ name: 'lock-wakes', text: lockSql, values: [`${terms.rule}\n${terms.principal}`] });
    const claimed = await claim(client, terms);
    await client.query('commit');
    return claimed;
  } catch (error) {
    fault = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // With a fault the connection is closed, and the server rolls back: nothing half claimed goes back to the pool.
    client.release(fault);
  }
};

const claim = async (db: Pool | PoolClient, terms: ClaimTerms): Promise<Claim> => {
  const { rows } = await db.query<Row>({
    name: 'claim-wake',
    text: sql,
    values: [terms.wakeId, terms.coalesce, terms.perPrincipalPerHour, terms.claimMs],
  });
  const lead = rows.find((row) => row.wake_state === 'running');
  const count = (state: string): number => rows.filter((row) => row.wake_state === state).length;
  return {
    wake: lead === undefined ? null : toWake(lead),
    suppressed: count('suppressed'),
    coalesced: count('coalesced'),
  };
};

const toWake = (row: Row): ClaimedWake => ({
  id: row.wake_id,
  attempts: row.attempts,
  claim: row.claim,
  steps: JSON.parse(row.steps) as StepOutcome[],
  record: toRecord(row),
  projectId: row.member ? row.project_id : null,
});

const lockSql = `select pg_advisory_xact_lock(hashtextextended('sense.wakes ' || $1, 0))`;

const sql = `
with target as (
  select wake_id, wake_rule, principal_id, started_at is not null as begun
  from sense.wakes
  where wake_id = $1 and (state = 'pending' and due_at <= clock_timestamp()
    or state = 'running' and claimed_until <= clock_timestamp())
), wanted as (
  select wake_id, begun from target
  union
  select w.wake_id, false
  from target t join sense.wakes w on w.wake_rule = t.wake_rule and w.principal_id = t.principal_id
  where $2::boolean and not t.begun and w.state = 'pending' and w.started_at is null
), placed as (
  select w.wake_id, wanted.begun, row_number() over (order by w.created_at, w.wake_id) as place
  from wanted join sense.wakes w using (wake_id) join sense.records r on r.record_id = w.record_id
  where ${notWithheld}
), spent as (
  select count(*) as runs
  from target t join sense.wakes w on w.wake_rule = t.wake_rule and w.principal_id = t.principal_id
  where $3::int is not null and w.started_at > clock_timestamp() - interval '1 hour'
), judged as (
  select
    p.wake_id,
    case when p.place > 1 then 'coalesced' when not p.begun and s.runs >= $3::int then 'suppressed'
      else 'running' end as state,
    case when p.place > 1 then (select wake_id from placed where place = 1) end as lead_wake_id
  from placed p cross join spent s
), claimed as (
  update sense.wakes w
  set
    state = j.state,
    lead_wake_id = j.lead_wake_id,
    attempts = case when j.state = 'running' then w.attempts + 1 else w.attempts end,
    claimed_until = case when j.state = 'running'
      then clock_timestamp() + $4::float8 * interval '1 millisecond' end,
    started_at = case when j.state = 'running' then coalesce(w.started_at, clock_timestamp()) end,
    finished_at = case when j.state <> 'running' then clock_timestamp() end
  from judged j
  where w.wake_id = j.wake_id
    -- Said again for a claimer that waited on the row: what another took meanwhile is left alone.
    and (w.state = 'pending' or w.state = 'running' and w.claimed_until <= clock_timestamp())
  returning w.wake_id, w.record_id, w.state, w.attempts, w.claimed_until, w.steps
)
select
  c.wake_id, c.state as wake_state, c.attempts, c.claimed_until::text as claim, c.steps::text as steps,
  exists (select from sense.principals p where p.principal_id = r.principal_id and p.tenant_id = r.tenant_id
    and r.project_id = any(p.projects)) as member,
  ${recordColumns}
from claimed c left join sense.records r on c.state = 'running' and r.record_id = c.record_id
`;
