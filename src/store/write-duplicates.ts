import type { PoolClient } from 'pg';
import type { NewRecord } from './write-records.ts';

/**
 * Notes deliveries of events that are recorded already, each beside the record it repeats. The first payload is kept.
 * @returns ids of the records that were announced again with another payload.
 */
export const writeDuplicates = async (
  client: PoolClient,
  duplicates: readonly NewRecord[],
): Promise<readonly string[]> => {
  const column = <T>(read: (record: NewRecord) => T): T[] => duplicates.map(read);
  const result = await client.query<{ record_id: string; same_payload: boolean }>({
    name: 'write-duplicates',
    text: sql,
    values: [
      column(({ id }) => id),
      column(({ announcement }) => announcement.source),
      column(({ announcement }) => announcement.delivery),
      column(({ decision }) => decision.attribution.binding),
      column(({ announcement }) => announcement.ref),
      column(({ announcement }) => announcement.eventHash),
      column(({ announcement }) => announcement.data),
      column(({ announcement }) => announcement.receivedAt),
    ],
  });
  return result.rows.filter((row) => !row.same_payload).map((row) => row.record_id);
};

const sql = `
insert into sense.duplicates (duplicate_id, source_id, delivery_id, record_id, same_payload, received_at)
select duplicate_id, again.source_id, again.delivery_id, r.record_id, r.data::text = again.data, again.received_at
from unnest(
  $1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::timestamptz[]
) as again (duplicate_id, source_id, delivery_id, binding_id, ref, event_hash, data, received_at)
join sense.records r
  on r.binding_id = again.binding_id and r.ref = again.ref and r.event_hash = decode(again.event_hash, 'hex')
returning record_id, same_payload
`;
