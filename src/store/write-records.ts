import type { PoolClient } from 'pg';
import type { Announcement } from '../domain/announcement.ts';
import type { Accepted } from '../domain/decision.ts';

/** A record to be written: what was announced, what was decided, and the rows of the outbox that it asks for. */
export type NewRecord = {
  id: string;
  announcement: Announcement;
  decision: Accepted;
  wakes: readonly { id: string; rule: string; coalesceMs: number }[];
  sinks: readonly string[];
};

/**
 * Writes records with their outbox rows in one statement of arrays. A record whose (Binding, ref, event) exists is left
 * out, and so are its wakes and surfacings: a provider's second delivery wakes nobody (G2). Leasers that wait are told
 * once per batch; the notice carries nothing, so its size can't break the transaction.
 * @returns ids of what was written; a record that is not among them is a duplicate.
 */
export const writeRecords = async (
  client: PoolClient,
  records: readonly NewRecord[],
): Promise<ReadonlySet<string>> => {
  const wakes = records.flatMap((record) => record.wakes.map((wake) => ({ record, wake })));
  const surfacings = records.flatMap((record) => record.sinks.map((sink) => ({ record, sink })));
  const column = <T>(read: (record: NewRecord) => T): T[] => records.map(read);
  const result = await client.query<{ record_id: string }>({
    name: 'write-records',
    text: sql,
    values: [
      column(({ id }) => id),
      column(({ decision }) => decision.attribution.tenant),
      column(({ decision }) => decision.attribution.principal.id),
      column(({ decision }) => decision.attribution.principal.kind),
      column(({ decision }) => decision.attribution.binding),
      column(({ decision }) => decision.attribution.land),
      column(({ decision }) => decision.attribution.project),
      column(({ announcement }) => announcement.pack),
      column(({ announcement }) => announcement.ref),
      column(({ decision }) => decision.route),
      column(({ announcement }) => announcement.source),
      column(({ announcement }) => announcement.event),
      column(({ announcement }) => announcement.eventHash),
      column(({ announcement }) => announcement.delivery),
      column(({ announcement }) => announcement.occurredAt),
      column(({ announcement }) => announcement.receivedAt),
      column(({ announcement }) => announcement.state),
      column(({ announcement }) => announcement.data),
      wakes.map(({ wake }) => wake.id),
      wakes.map(({ wake }) => wake.rule),
      wakes.map(({ record }) => record.id),
      wakes.map(({ record }) => record.decision.attribution.tenant),
      wakes.map(({ record }) => record.decision.attribution.principal.id),
      wakes.map(({ wake }) => wake.coalesceMs),
      surfacings.map(({ record }) => record.id),
      surfacings.map(({ sink }) => sink),
    ],
  });
  return new Set(result.rows.map((row) => row.record_id));
};

const sql = `
with recorded as (
  insert into sense.records (
    record_id, tenant_id, principal_id, principal_kind, binding_id, land, project_id, pack_id, ref, route,
    source_id, event_id, event_hash, delivery_id, occurred_at, received_at, state, data)
  select
    record_id, tenant_id, principal_id, principal_kind, binding_id, land, project_id, pack_id, ref, route,
    source_id, event_id, decode(event_hash, 'hex'), delivery_id, occurred_at, received_at, state, data::json
  from unnest(
    $1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
    $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::timestamptz[], $16::timestamptz[],
    $17::text[], $18::text[]
  ) as announced (
    record_id, tenant_id, principal_id, principal_kind, binding_id, land, project_id, pack_id, ref, route,
    source_id, event_id, event_hash, delivery_id, occurred_at, received_at, state, data)
  on conflict (binding_id, ref, event_hash) do nothing
  returning record_id, route
), woken as (
  insert into sense.wakes (wake_id, wake_rule, record_id, tenant_id, principal_id, due_at)
  select wake_id, wake_rule, record_id, tenant_id, principal_id, now() + coalesce_ms * interval '1 millisecond'
  from unnest($19::uuid[], $20::text[], $21::uuid[], $22::text[], $23::text[], $24::int[])
    as wanted (wake_id, wake_rule, record_id, tenant_id, principal_id, coalesce_ms)
  join recorded using (record_id)
), surfaced as (
  insert into sense.surfacings (record_id, sink)
  select record_id, sink from unnest($25::uuid[], $26::text[]) as wanted (record_id, sink)
  join recorded using (record_id)
), told as (
  select pg_notify('sense_inbox', '') where exists (select from recorded where route = 'inbox')
)
select record_id from recorded left join told on true
`;
