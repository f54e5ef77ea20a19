import type { Pool, PoolClient } from 'pg';
import type { RecordHead } from '../domain/record.ts';
import { notWithheld } from './scope.ts';

/** What a sink is told of a record: its id and whose it is, never its payload. */
export type SurfacedRecord = Pick<
  RecordHead,
  | 'record_id'
  | 'tenant_id'
  | 'principal'
  | 'binding_id'
  | 'land'
  | 'project_id'
  | 'pack_id'
  | 'ref'
  | 'route'
  | 'recorded_at'
>;

type Row = Omit<SurfacedRecord, 'principal' | 'recorded_at'> & {
  principal_id: string;
  principal_kind: string;
  recorded_at: Date;
};

/**
 * Records that still have to surface at `sink`, in the order they were recorded. Left out are those that surfaced
 * already, and `brain` records whose Principal is not a member of their project: these stay open (S18).
 */
export const readSurfacings = async (
  db: Pool | PoolClient,
  sink: string,
  recordIds: readonly string[],
): Promise<SurfacedRecord[]> => {
  const { rows } = await db.query<Row>({ name: 'read-surfacings', text: sql, values: [sink, recordIds] });
  return rows.map(({ principal_id, principal_kind, recorded_at, ...rest }) => ({
    ...rest,
    principal: { id: principal_id, kind: principal_kind },
    recorded_at: recorded_at.toISOString(),
  }));
};

const sql = `
select r.record_id, r.tenant_id, r.principal_id, r.principal_kind, r.binding_id, r.land, r.project_id, r.pack_id,
  r.ref, r.route, r.recorded_at
from sense.surfacings s join sense.records r using (record_id)
where s.sink = $1 and s.record_id = any($2::uuid[]) and ${notWithheld}
order by r.record_id
`;
