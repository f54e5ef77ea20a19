import type { Pool, PoolClient } from 'pg';

/** Takes a dead letter off the list, once its announcement is in the queue again. */
export const removeDeadLetter = async (db: Pool | PoolClient, id: string): Promise<void> => {
  await db.query('delete from sense.dead_letters where dead_letter_id = $1', [id]);
};
