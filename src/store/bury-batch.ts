import type { Pool } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { Batch } from '../domain/announcement.ts';
import { inTransaction } from './in-transaction.ts';
import { writeDeadLetters } from './write-dead-letters.ts';

/**
 * Turns a whole batch into dead letters, because its job must not run any more. Like recording it is done once for a
 * batch, however often it is called.
 */
export const buryBatch = async (db: Pool, batch: Batch, reason: string): Promise<void> => {
  await inTransaction(db, async (client) => {
    const { rowCount } = await client.query(
      'insert into sense.batches (batch_id) values ($1) on conflict do nothing',
      [batch.id],
    );
    if (rowCount !== 1 || batch.announcements.length === 0) return;
    await writeDeadLetters(
      client,
      batch.announcements.map((announcement) => ({ id: uuidv7(), announcement, reason })),
    );
  });
};
