import type { RecordHead, SenseRecord } from '../domain/record.ts';

/** Columns of `r` (sense.records) that `toRecord` takes. The payload is read as text: parsing would change it (G9). */
export const recordColumns = `r.record_id, r.tenant_id, r.principal_id, r.principal_kind, r.binding_id, r.land,
  r.project_id, r.pack_id, r.ref, r.route, r.source_id, r.event_id, r.delivery_id, r.occurred_at, r.received_at,
  r.recorded_at, r.state, r.data::text as data`;

/**
 * An answer ends early, after at least one record, when its payloads pass this: a lease of many large records must not
 * fill the memory of both sides. The rest comes with the next call.
 */
export const ANSWER_BYTES = 8 * 1024 * 1024;

export type RecordRow = {
  record_id: string;
  tenant_id: string;
  principal_id: string;
  principal_kind: string;
  binding_id: string;
  land: RecordHead['land'];
  project_id: string | null;
  pack_id: string;
  ref: string;
  route: RecordHead['route'];
  source_id: string;
  event_id: string;
  delivery_id: string;
  occurred_at: Date | null;
  received_at: Date;
  recorded_at: Date;
  state: string | null;
  data: string;
};

/** A row of the records table as the contract's record. */
export const toRecord = (row: RecordRow): SenseRecord => ({
  head: {
    record_id: row.record_id,
    tenant_id: row.tenant_id,
    principal: { id: row.principal_id, kind: row.principal_kind },
    binding_id: row.binding_id,
    land: row.land,
    project_id: row.project_id,
    pack_id: row.pack_id,
    ref: row.ref,
    route: row.route,
    source_id: row.source_id,
    event_id: row.event_id,
    delivery_id: row.delivery_id,
    occurred_at: row.occurred_at?.toISOString() ?? null,
    received_at: row.received_at.toISOString(),
    recorded_at: row.recorded_at.toISOString(),
    state: row.state,
    trust: 'external',
  },
  data: row.data,
});
