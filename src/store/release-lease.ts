import type { Pool, PoolClient } from 'pg';
import { inScope, type Scope, scopeValues } from './scope.ts';

/**
 * Gives records of a lease back to the inbox, at once and in their old place; without ids, all of it. Leasers that wait
 * are told.
 * @returns ids that were given back; none where the lease holds none of them any more.
 */
export const releaseLease = async (
  db: Pool | PoolClient,
  scope: Scope,
  leaseId: string,
  recordIds: readonly string[] | undefined,
): Promise<string[]> => {
  const { rows } = await db.query<{ record_id: string }>(
    `with released as (
       update sense.records r set lease_id = null, leased_until = null
       where ${inScope} and r.lease_id = $3 and r.acked_at is null
         and ($4::uuid[] is null or r.record_id = any($4))
       returning r.record_id
     ), told as (
       select pg_notify('sense_inbox', '') where exists (select from released)
     )
     select record_id from released left join told on true`,
    [...scopeValues(scope), leaseId, recordIds],
  );
  return rows.map((row) => row.record_id).sort();
};
