import type { Pool, PoolClient } from 'pg';
import { inScope, notWithheld, type Scope, scopeValues } from './scope.ts';

export type RecentRecord = { record_id: string; principal_id: string; pack_id: string; ref: string };

/** Heads of the newest inbox records since `floor` (a record id), oldest first; at most `limit`, the newest ones. */
export const listRecentInbox = async (
  db: Pool | PoolClient,
  scope: Scope,
  wish: {
    floor: string;
    limit: number;
    principal?: string | undefined;
    pack?: string | undefined;
    ref?: string | undefined;
  },
): Promise<RecentRecord[]> => {
  const { rows } = await db.query<RecentRecord>(
    `select r.record_id, r.principal_id, r.pack_id, r.ref from sense.records r
     where r.route = 'inbox' and ${inScope} and ${notWithheld} and r.record_id >= $3
       and ($4::text is null or r.principal_id = $4)
       and ($5::text is null or r.pack_id = $5)
       and ($6::text is null or r.ref = $6)
     order by r.record_id desc limit $7`,
    [...scopeValues(scope), wish.floor, wish.principal, wish.pack, wish.ref, wish.limit],
  );
  return rows.reverse();
};
