import type { Pool, PoolClient } from 'pg';
import { inScope, notWithheld, type Scope, scopeValues } from './scope.ts';

export type UnreadCount = { principal: string; pack: string; unread: number };

/**
 * Records of the inbox that nobody acknowledged, leased ones among them, per Principal and pack. Counted from the records
 * each time: a counter kept beside them would drift after a crash.
 */
export const countUnread = async (
  db: Pool | PoolClient,
  scope: Scope,
  principal: string | undefined,
): Promise<UnreadCount[]> => {
  const { rows } = await db.query<UnreadCount>(
    `select r.principal_id as principal, r.pack_id as pack, count(*)::int as unread
     from sense.records r
     where r.route = 'inbox' and r.acked_at is null and ${inScope} and ${notWithheld}
       and ($3::text is null or r.principal_id = $3)
     group by 1, 2 order by 1, 2`,
    [...scopeValues(scope), principal],
  );
  return rows;
};
