import type { Pool, PoolClient } from 'pg';
import type { SenseRecord } from '../domain/record.ts';
import { type RecordRow, recordColumns, toRecord } from './record-row.ts';
import { inScope, notWithheld, type Scope, scopeValues } from './scope.ts';

/** One visible record; null also where it exists but is not for this scope, so that ids can't be probed. */
export const findRecord = async (
  db: Pool | PoolClient,
  scope: Scope,
  recordId: string,
): Promise<SenseRecord | null> => {
  const { rows } = await db.query<RecordRow>(
    `select ${recordColumns} from sense.records r where ${inScope} and ${notWithheld} and r.record_id = $3`,
    [...scopeValues(scope), recordId],
  );
  return rows[0] === undefined ? null : toRecord(rows[0]);
};
