import type { Pool, PoolClient } from 'pg';
import type { StepOutcome, WakeState } from '../domain/execute.ts';

export type WakeFilter = {
  recordId?: string | undefined;
  state?: WakeState | undefined;
  /** Id of the last wake of the page before. */
  before?: string | undefined;
  limit: number;
};

export type WakeRow = {
  wake_id: string;
  wake_rule: string;
  record_id: string;
  tenant_id: string;
  principal_id: string;
  state: WakeState;
  attempts: number;
  lead_wake_id: string | null;
  due_at: Date;
  created_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  steps: StepOutcome[];
};

/** Wakes with what became of their steps, newest first. Of one record: also the wake that it was coalesced into. */
export const listWakes = async (db: Pool | PoolClient, filter: WakeFilter): Promise<WakeRow[]> => {
  const { rows } = await db.query<Omit<WakeRow, 'steps'> & { steps: string }>(
    `select wake_id, wake_rule, record_id, tenant_id, principal_id, state, attempts, lead_wake_id, due_at, created_at,
       started_at, finished_at, steps::text as steps
     from sense.wakes
     where ($1::uuid is null or record_id = $1
         or wake_id in (select own.lead_wake_id from sense.wakes own where own.record_id = $1))
       and ($2::text is null or state = $2) and ($3::uuid is null or wake_id < $3)
     order by wake_id desc limit $4`,
    [filter.recordId, filter.state, filter.before, filter.limit],
  );
  return rows.map((row) => ({ ...row, steps: JSON.parse(row.steps) as StepOutcome[] }));
};
