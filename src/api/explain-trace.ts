import type { LoadedPack, Packs } from '../domain/pack.ts';
import { type DeliveryTrace, EXPLAIN_LIMIT } from '../store/explain-delivery.ts';

type Decision = {
  outcome: 'recorded' | 'dropped' | 'duplicate' | 'dead_letter';
  at: string;
  pack_id: string;
  ref: string;
  event_id: string;
  binding_id: string | null;
  rule: string;
  why: string;
  record_id: string | null;
  reason: string | null;
  wakes: { wake_id: string; wake_rule: string; state: string; lead_wake_id: string | null }[];
};

export type Explanation = { found: boolean; summary: string; complete: boolean; decisions: Decision[] };

/** What a delivery became, in sentences, in the order it was decided. Pure. */
export const explainTrace = (trace: DeliveryTrace, packs: Packs): Explanation => {
  const decisions = [
    ...trace.records.map((record) => explainRecord(record, packs.get(record.pack))),
    ...trace.drops.map(explainDrop),
    ...trace.duplicates.map(explainDuplicate),
    ...trace.deadLetters.map(explainDeadLetter),
  ].sort((a, b) => a.at.localeCompare(b.at));
  return {
    found: decisions.length > 0,
    summary: summarise(trace),
    complete: Object.values(trace).every((rows) => rows.length < EXPLAIN_LIMIT),
    decisions,
  };
};

const base = (row: { at: string; pack: string; ref: string; event: string }) => ({
  at: utc(row.at),
  pack_id: row.pack,
  ref: row.ref,
  event_id: row.event,
  binding_id: null,
  record_id: null,
  reason: null,
  wakes: [],
});

/** Postgres writes the session's offset; the API speaks UTC. */
const utc = (time: string): string => new Date(time).toISOString();

const explainRecord = (record: DeliveryTrace['records'][number], pack: LoadedPack | undefined): Decision => ({
  ...base(record),
  outcome: 'recorded',
  binding_id: record.binding,
  rule: 'resolve-route',
  why: [
    `recorded for ${record.principal} of ${record.tenant} (${record.land}${record.project === null ? '' : ` of ${record.project}`})`,
    `route ${record.route}: ${whyRoute(record, pack)}`,
    ...(record.withheld ? [`withheld until ${record.principal} is a member of ${record.project}`] : []),
    ...(record.route === 'inbox' ? [whereInInbox(record)] : []),
    ...record.wakes.map(
      ({ rule, state, lead }) => `wake ${rule}: ${state}${lead === null ? '' : ` into ${lead}`}`,
    ),
  ].join('; '),
  record_id: record.record,
  wakes: record.wakes.map(({ wake, rule, state, lead }) => ({
    wake_id: wake,
    wake_rule: rule,
    state,
    lead_wake_id: lead,
  })),
});

/** A record keeps its route, not the reason; what the configuration says now is named only where it agrees. */
const whyRoute = (record: { route: string; ref: string }, pack: LoadedPack | undefined): string => {
  const configured = pack?.routes.get(record.ref);
  if (configured === record.route) return `packs[].routes says so for ${record.ref}`;
  if (configured !== undefined) {
    return `as it was when the event came; packs[].routes says ${configured} for ${record.ref} now`;
  }
  return record.route === 'inbox'
    ? `${record.ref} is user-facing and Sense is on for the pack`
    : `${record.ref} is not user-facing, so it is kept without surfacing`;
};

const whereInInbox = (record: { acknowledged: string | null; leasedUntil: string | null }): string => {
  if (record.acknowledged !== null) return `acknowledged at ${utc(record.acknowledged)}`;
  return record.leasedUntil === null ? 'not leased yet' : `leased until ${utc(record.leasedUntil)}`;
};

const explainDrop = (drop: DeliveryTrace['drops'][number]): Decision => ({
  ...base(drop),
  outcome: 'dropped',
  binding_id: drop.binding,
  rule: drop.rule,
  why: drop.why,
  reason: drop.reason,
});

const explainDuplicate = (duplicate: DeliveryTrace['duplicates'][number]): Decision => ({
  ...base(duplicate),
  outcome: 'duplicate',
  rule: 'record-once',
  why: [
    'the same event is recorded already for this Binding and ref',
    ...(duplicate.firstDelivery === '' ? [] : [`by delivery ${duplicate.firstDelivery}`]),
    duplicate.samePayload ? 'the payload is the same' : 'with another payload; the first one is kept',
  ].join('; '),
  record_id: duplicate.record,
});

const explainDeadLetter = (letter: DeliveryTrace['deadLetters'][number]): Decision => ({
  ...base(letter),
  outcome: 'dead_letter',
  rule: 'isolate-poison',
  why: `${letter.reason}; kept as dead letter ${letter.id}, which can be replayed`,
});

const summarise = ({ records, drops, duplicates, deadLetters }: DeliveryTrace): string => {
  const counted = [
    [records.length, 'recorded'],
    [drops.length, 'dropped'],
    [duplicates.length, 'already recorded'],
    [deadLetters.length, 'dead'],
  ] as const;
  const said = counted.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  if (said.length > 0) return said.join(', ');
  return (
    'Nothing is known of this delivery. If its sender got a 2xx, it may still wait in the queue: ask again in a moment, ' +
    'and see /readyz. If not, it was refused at the door and the answer said why. What is older than its retention is gone.'
  );
};
