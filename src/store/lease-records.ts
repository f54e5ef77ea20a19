import type { Pool, PoolClient } from 'pg';
import type { SenseRecord } from '../domain/record.ts';
import { ANSWER_BYTES, type RecordRow, recordColumns, toRecord } from './record-row.ts';
import { inScope, notWithheld, type Scope, scopeValues } from './scope.ts';

export type LeaseWish = {
  leaseId: string;
  max: number;
  leaseSeconds: number;
  principal?: string | undefined;
  pack?: string | undefined;
  ref?: string | undefined;
};

/**
 * Leases the oldest free records of the inbox: never leased, released, or with a lease that ran out. Leasers at the same
 * time skip each other's rows instead of waiting, so no record goes to two of them.
 */
export const leaseRecords = async (
  db: Pool | PoolClient,
  scope: Scope,
  wish: LeaseWish,
): Promise<{ records: SenseRecord[]; leasedUntil: Date | null }> => {
  const { rows } = await db.query<RecordRow & { leased_until: Date }>(
    `with free as materialized (
       select r.record_id, octet_length(r.data::text) as bytes from sense.records r
       where r.route = 'inbox' and r.acked_at is null and (r.leased_until is null or r.leased_until <= now())
         and ${inScope} and ${notWithheld}
         and ($3::text is null or r.principal_id = $3)
         and ($4::text is null or r.pack_id = $4)
         and ($5::text is null or r.ref = $5)
       order by r.record_id limit $6
       for update of r skip locked
     ), sized as (
       select record_id, sum(bytes) over (order by record_id) - bytes as bytes_before from free
     ), leased as (
       update sense.records r
       set lease_id = $7, leased_until = now() + $8 * interval '1 second'
       from sized where r.record_id = sized.record_id and sized.bytes_before < ${ANSWER_BYTES}
       returning ${recordColumns}, r.leased_until
     )
     select * from leased order by record_id`,
    [...scopeValues(scope), wish.principal, wish.pack, wish.ref, wish.max, wish.leaseId, wish.leaseSeconds],
  );
  return { records: rows.map(toRecord), leasedUntil: rows[0]?.leased_until ?? null };
};
