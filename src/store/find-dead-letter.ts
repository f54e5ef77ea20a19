import type { Pool, PoolClient } from 'pg';
import type { Announcement } from '../domain/announcement.ts';

/** The whole announcement that a dead letter keeps; null where there is no such letter. */
export const findDeadLetter = async (db: Pool | PoolClient, id: string): Promise<Announcement | null> => {
  const { rows } = await db.query<{ announcement: string }>(
    'select announcement from sense.dead_letters where dead_letter_id = $1',
    [id],
  );
  return rows[0] === undefined ? null : (JSON.parse(rows[0].announcement) as Announcement);
};
