import type { Pool, PoolClient } from 'pg';

export type DropFilter = {
  source?: string | undefined;
  delivery?: string | undefined;
  pack?: string | undefined;
  reason?: string | undefined;
  /** Id of the last drop of the page before. */
  before?: string | undefined;
  limit: number;
};

type Row = {
  drop_id: string;
  source_id: string;
  delivery_id: string;
  pack_id: string;
  ref: string;
  event_id: string;
  binding_id: string | null;
  reason: string;
  rule: string;
  why: string;
  received_at: Date;
  dropped_at: Date;
};

/** Why announcements were not recorded, newest first. There is no payload to show: none is kept (G6). */
export const listDrops = async (db: Pool | PoolClient, filter: DropFilter): Promise<Row[]> => {
  const { rows } = await db.query<Row>(
    `select drop_id, source_id, delivery_id, pack_id, ref, event_id, binding_id, reason, rule, why, received_at, dropped_at
     from sense.drops
     where ($1::text is null or source_id = $1) and ($2::text is null or delivery_id = $2)
       and ($3::text is null or pack_id = $3) and ($4::text is null or reason = $4)
       and ($5::uuid is null or drop_id < $5)
     order by drop_id desc limit $6`,
    [filter.source, filter.delivery, filter.pack, filter.reason, filter.before, filter.limit],
  );
  return rows;
};
