import type { Pool, PoolClient } from 'pg';

/** Closes what a sink has taken. Only after it has: a row that is gone is never offered again (G4). */
export const finishSurfacings = async (
  db: Pool | PoolClient,
  sink: string,
  recordIds: readonly string[],
): Promise<void> => {
  await db.query({
    name: 'finish-surfacings',
    text: 'delete from sense.surfacings where sink = $1 and record_id = any($2::uuid[])',
    values: [sink, recordIds],
  });
};
