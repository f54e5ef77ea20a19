import type { Pool, PoolClient } from 'pg';
import { inScope, type Scope, scopeValues } from './scope.ts';

/**
 * Lets a lease run for `seconds` from now; without ids, all of it. One that ran out is taken up again as long as nobody
 * else has leased the records since.
 * @returns what the lease holds now; no ids where it holds none of them any more.
 */
export const extendLease = async (
  db: Pool | PoolClient,
  scope: Scope,
  leaseId: string,
  recordIds: readonly string[] | undefined,
  seconds: number,
): Promise<{ recordIds: string[]; leasedUntil: Date | null }> => {
  const { rows } = await db.query<{ record_id: string; leased_until: Date }>(
    `update sense.records r set leased_until = now() + $5 * interval '1 second'
     where ${inScope} and r.lease_id = $3 and r.acked_at is null
       and ($4::uuid[] is null or r.record_id = any($4))
     returning r.record_id, r.leased_until`,
    [...scopeValues(scope), leaseId, recordIds, seconds],
  );
  return {
    recordIds: rows.map((row) => row.record_id).sort(),
    leasedUntil: rows[0]?.leased_until ?? null,
  };
};
