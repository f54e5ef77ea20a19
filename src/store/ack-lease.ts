import type { Pool, PoolClient } from 'pg';
import { inScope, type Scope, scopeValues } from './scope.ts';

/**
 * Acknowledges records of a lease; without ids, all of it. A lease that ran out still acknowledges what nobody else has
 * leased since: the work is done, and refusing would have it done again. Acknowledging twice is the same as once, so an
 * answer that got lost can be asked for again.
 * @returns ids that are acknowledged now; none where the lease holds none of them any more.
 */
export const ackLease = async (
  db: Pool | PoolClient,
  scope: Scope,
  leaseId: string,
  recordIds: readonly string[] | undefined,
): Promise<string[]> => {
  const { rows } = await db.query<{ record_id: string }>(
    `update sense.records r set acked_at = coalesce(r.acked_at, clock_timestamp())
     where ${inScope} and r.lease_id = $3 and ($4::uuid[] is null or r.record_id = any($4))
     returning r.record_id`,
    [...scopeValues(scope), leaseId, recordIds],
  );
  return rows.map((row) => row.record_id).sort();
};
