import type { Pool, PoolClient } from 'pg';

type Row = {
  dead_letter_id: string;
  source_id: string;
  delivery_id: string;
  pack_id: string;
  ref: string;
  event_id: string;
  reason: string;
  received_at: Date;
  died_at: Date;
};

/** Announcements that could not be recorded for a fault in themselves, newest first, without their payload. */
export const listDeadLetters = async (
  db: Pool | PoolClient,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<Row[]> => {
  const { rows } = await db.query<Row>(
    `select dead_letter_id, source_id, delivery_id, pack_id, ref, event_id, reason, received_at, died_at
     from sense.dead_letters where ($1::uuid is null or dead_letter_id < $1)
     order by dead_letter_id desc limit $2`,
    [before, limit],
  );
  return rows;
};
