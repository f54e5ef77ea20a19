import type { Pool } from 'pg';
import { uuidFloor } from '../domain/uuid-floor.ts';

/** Milliseconds that each kind of row is kept (configuration, `retention`). */
export type Retention = { records: number; drops: number; dead_letters: number };

/** A batch can't be run again after this long: its job is gone from every queue. */
const BATCHES_KEPT_MS = 7 * 86_400_000;

/** Rows in one statement: small enough to hold no lock for long. */
const SLICE = 5_000;

/**
 * Deletes what its retention has passed, one slice of each table; call it again until it returns 0. Ids are UUID v7,
 * so age is a range of the primary key.
 * @returns how many rows went
 */
export const purgeExpired = async (db: Pool, now: number, retention: Retention): Promise<number> => {
  const purge = async (table: string, id: string, keptMs: number): Promise<number> => {
    const result = await db.query(
      `delete from sense.${table} where ${id} in (select ${id} from sense.${table} where ${id} < $1 order by ${id} limit ${SLICE})`,
      [uuidFloor(now - keptMs)],
    );
    return result.rowCount ?? 0;
  };
  return (
    (await purge('records', 'record_id', retention.records)) +
    (await purge('wakes', 'wake_id', retention.records)) +
    (await purge('surfacings', 'record_id', retention.records)) +
    (await purge('drops', 'drop_id', retention.drops)) +
    (await purge('duplicates', 'duplicate_id', retention.drops)) +
    (await purge('dead_letters', 'dead_letter_id', retention.dead_letters)) +
    (await purge('batches', 'batch_id', BATCHES_KEPT_MS))
  );
};
