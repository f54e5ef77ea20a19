import type { Pool, PoolClient } from 'pg';
import type { StepOutcome } from '../domain/execute.ts';
import type { SenseRecord } from '../domain/record.ts';
import { type RecordRow, recordColumns, toRecord } from './record-row.ts';
import { notWithheld } from './scope.ts';

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

type Row = RecordRow & { wake_id: string; attempts: number; claim: string; steps: string; member: boolean };

/**
 * Marks one wake as running for `claimMs` and reads its record back, in one statement. Null where it is over, running
 * elsewhere, withheld, or not due; `early` takes it before it is due.
 */
export const takeWake = async (
  db: Pool | PoolClient,
  wakeId: string,
  claimMs: number,
  early = false,
): Promise<ClaimedWake | null> => {
  const { rows } = await db.query<Row>({ name: 'take-wake', text: sql, values: [wakeId, claimMs, early] });
  const row = rows[0];
  if (row === undefined) return null;
  return {
    id: row.wake_id,
    attempts: row.attempts,
    claim: row.claim,
    steps: JSON.parse(row.steps) as StepOutcome[],
    record: toRecord(row),
    projectId: row.member ? row.project_id : null,
  };
};

const sql = `
update sense.wakes w
set
  state = 'running',
  attempts = w.attempts + 1,
  claimed_until = clock_timestamp() + $2::float8 * interval '1 millisecond',
  started_at = coalesce(w.started_at, clock_timestamp())
from sense.records r
where w.wake_id = $1 and r.record_id = w.record_id and ${notWithheld}
  and (w.state = 'pending' and (w.due_at <= clock_timestamp() or $3::boolean)
    or w.state = 'running' and w.claimed_until <= clock_timestamp())
returning w.wake_id, w.attempts, w.claimed_until::text as claim, w.steps::text as steps,
  exists (select from sense.principals p where p.principal_id = r.principal_id and p.tenant_id = r.tenant_id
    and r.project_id = any(p.projects)) as member,
  ${recordColumns}
`;
