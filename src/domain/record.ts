import type { Land } from './pack.ts';

/** A record as the store keeps it and the API hands it out (contract), without its payload. Times are RFC 3339. */
export type RecordHead = {
  record_id: string;
  tenant_id: string;
  principal: { id: string; kind: string };
  binding_id: string;
  land: Land;
  project_id: string | null;
  pack_id: string;
  ref: string;
  route: 'inbox' | 'silent';
  source_id: string;
  event_id: string;
  delivery_id: string;
  occurred_at: string | null;
  received_at: string;
  recorded_at: string;
  state: string | null;
  /** Always `external`: an Invoker must treat the payload as data, never as instructions. */
  trust: 'external';
};

/** A record with its payload as the JSON text that was sent. */
export type SenseRecord = { head: RecordHead; data: string };

/**
 * Writes a record as JSON, the payload verbatim as its last member (G9): parsing and writing it again would change
 * numbers, key order and escapes.
 */
export const writeRecord = ({ head, data }: SenseRecord): string =>
  `${JSON.stringify(head).slice(0, -1)},"data":${data}}`;

/** Writes `{"<name>":[…records],…rest}` as JSON. */
export const writeRecords = (records: readonly SenseRecord[], rest: Record<string, unknown> = {}): string => {
  const tail = JSON.stringify(rest).slice(1, -1);
  return `{"records":[${records.map(writeRecord).join(',')}]${tail === '' ? '' : `,${tail}`}}`;
};
