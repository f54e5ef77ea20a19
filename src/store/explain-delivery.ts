import type { Pool, PoolClient } from 'pg';
import type { WakeState } from '../domain/execute.ts';
import type { RecordHead } from '../domain/record.ts';

/** Rows of each kind that an explanation shows at most; a delivery of more is cut and says so. */
export const EXPLAIN_LIMIT = 500;

type Base = { at: string; pack: string; ref: string; event: string };

/** What the store holds about one delivery: metadata only, no payload. */
export type DeliveryTrace = {
  records: (Base & {
    record: string;
    tenant: string;
    principal: string;
    binding: string;
    land: RecordHead['land'];
    project: string | null;
    route: RecordHead['route'];
    withheld: boolean;
    acknowledged: string | null;
    leasedUntil: string | null;
    wakes: { wake: string; rule: string; state: WakeState; lead: string | null }[];
  })[];
  drops: (Base & { binding: string | null; reason: string; rule: string; why: string })[];
  duplicates: (Base & { record: string; firstDelivery: string; samePayload: boolean })[];
  deadLetters: (Base & { id: string; reason: string })[];
};

/** Everything that one delivery of one source became, in the order it was decided. */
export const explainDelivery = async (
  db: Pool | PoolClient,
  source: string,
  delivery: string,
): Promise<DeliveryTrace> => {
  const { rows } = await db.query<{ trace: string }>(sql, [source, delivery, EXPLAIN_LIMIT]);
  const row = rows[0];
  if (row === undefined) throw new Error('explain: the query without from clause yields one row');
  return JSON.parse(row.trace) as DeliveryTrace;
};

// One statement, one snapshot: a record can't be missed because it was written between two queries.
const sql = `
select json_build_object(
  'records', coalesce((select json_agg(x order by x.record) from (
    select r.record_id as record, r.recorded_at as at, r.pack_id as pack, r.ref, r.event_id as event,
      r.tenant_id as tenant, r.principal_id as principal, r.binding_id as binding, r.land, r.project_id as project,
      r.route, r.acked_at as acknowledged, r.leased_until as "leasedUntil",
      r.land = 'brain' and not exists (
        select from sense.principals p
        where p.principal_id = r.principal_id and p.tenant_id = r.tenant_id and r.project_id = any(p.projects)
      ) as withheld,
      coalesce((select json_agg(json_build_object(
          'wake', w.wake_id, 'rule', w.wake_rule, 'state', w.state, 'lead', w.lead_wake_id) order by w.wake_id)
        from sense.wakes w where w.record_id = r.record_id), '[]') as wakes
    from sense.records r where r.source_id = $1 and r.delivery_id = $2 order by r.record_id limit $3) x), '[]'),
  'drops', coalesce((select json_agg(x order by x.id) from (
    select d.drop_id as id, d.dropped_at as at, d.pack_id as pack, d.ref, d.event_id as event,
      d.binding_id as binding, d.reason, d.rule, d.why
    from sense.drops d where d.source_id = $1 and d.delivery_id = $2 order by d.drop_id limit $3) x), '[]'),
  'duplicates', coalesce((select json_agg(x order by x.id) from (
    select u.duplicate_id as id, u.seen_at as at, u.record_id as record, u.same_payload as "samePayload",
      coalesce(r.pack_id, '') as pack, coalesce(r.ref, '') as ref, coalesce(r.event_id, '') as event,
      coalesce(r.delivery_id, '') as "firstDelivery"
    from sense.duplicates u left join sense.records r on r.record_id = u.record_id
    where u.source_id = $1 and u.delivery_id = $2 order by u.duplicate_id limit $3) x), '[]'),
  'deadLetters', coalesce((select json_agg(x order by x.id) from (
    select l.dead_letter_id as id, l.died_at as at, l.pack_id as pack, l.ref, l.event_id as event, l.reason
    from sense.dead_letters l where l.source_id = $1 and l.delivery_id = $2
    order by l.dead_letter_id limit $3) x), '[]')
)::text as trace
`;
