import type { PoolClient } from 'pg';
import type { Announcement, Batch } from '../domain/announcement.ts';
import type { BindingFact, Facts } from '../domain/decision.ts';

/** What a recording transaction knows before it decides. */
export type ClaimedBatches = {
  /** Those of the batches that nobody had committed before, in the order given. */
  fresh: readonly Batch[];
  /** The facts for one announcement of them. */
  factsOf: (announcement: Announcement) => Facts;
};

type Row = {
  fresh: string[];
  bindings: string;
  activation: string;
};

/**
 * Marks batches as this transaction's and reads the facts that bear on them, in one statement. A batch that was already
 * committed is left out: its job ran again after a stall or a kill, and there is nothing left to do. A second worker
 * that holds the same batch waits here for the first one's commit.
 *
 * The shared directory lock must be held, taken by an earlier statement (src/store/lock-directory.ts).
 */
export const claimBatches = async (
  client: PoolClient,
  batches: readonly Batch[],
): Promise<ClaimedBatches> => {
  const wanted = lookupKeys(batches.flatMap(({ announcements }) => announcements));
  const ids = batches.map(({ id }) => id);
  const result = await client.query<Row>({ name: 'claim-batches', text: sql, values: [ids, ...wanted] });
  const row = result.rows[0];
  if (row === undefined) throw new Error('claim-batches: a query without from clause yields one row');
  const claimed = new Set(row.fresh);

  const activation = JSON.parse(row.activation) as Record<string, 'on' | 'off'>;
  const byAccount = new Map<string, BindingFact[]>();
  const byId = new Map<string, BindingFact[]>();
  for (const binding of JSON.parse(row.bindings) as BindingFact[]) {
    append(byId, key(binding.pack, binding.id), binding);
    if (binding.account !== null) append(byAccount, key(binding.pack, binding.account), binding);
  }

  return {
    fresh: batches.filter(({ id }) => claimed.has(id)),
    factsOf: ({ pack, binding, accounts }) => ({
      bindings:
        binding !== null
          ? (byId.get(key(pack, binding)) ?? [])
          : unique(accounts.flatMap((account) => byAccount.get(key(pack, account)) ?? [])),
      activation: Object.hasOwn(activation, pack) ? activation[pack] : undefined,
    }),
  };
};

/** Look-up keys of the whole batch, each once: [pack of account, account, pack of binding, binding, pack]. */
const lookupKeys = (
  announcements: readonly Announcement[],
): [string[], string[], string[], string[], string[]] => {
  const accounts = new Map<string, [string, string]>();
  const bindings = new Map<string, [string, string]>();
  const packs = new Set<string>();
  for (const { pack, binding, accounts: names, refusal } of announcements) {
    if (refusal !== undefined) continue;
    if (!isStorable(pack)) continue;
    packs.add(pack);
    if (binding !== null) bindings.set(key(pack, binding), [pack, binding]);
    else for (const account of names.filter(isStorable)) accounts.set(key(pack, account), [pack, account]);
  }
  return [
    [...accounts.values()].map(([pack]) => pack),
    [...accounts.values()].map(([, account]) => account),
    [...bindings.values()].map(([pack]) => pack),
    [...bindings.values()].map(([, binding]) => binding),
    [...packs],
  ];
};

/** NUL and lone surrogates can't be in a Postgres text, so no Binding has such a name: asking would fail the batch. */
const isStorable = (name: string): boolean => name.isWellFormed() && !name.includes('\0');

const key = (pack: string, name: string): string => `${pack}\n${name}`;

const append = <T>(map: Map<string, T[]>, at: string, item: T): void => {
  const list = map.get(at);
  if (list === undefined) map.set(at, [item]);
  else list.push(item);
};

/** One Binding that two account keys name is still one Binding, and gets one decision. */
const unique = (bindings: readonly BindingFact[]): readonly BindingFact[] =>
  bindings.length < 2 ? bindings : [...new Set(bindings)];

const sql = `
with claimed as (
  insert into sense.batches (batch_id) select unnest($1::uuid[]) on conflict do nothing returning batch_id
), wanted as (
  select binding_id from sense.bindings
    where (pack_id, account) in (select * from unnest($2::text[], $3::text[]))
  union
  select binding_id from sense.bindings
    where (pack_id, binding_id) in (select * from unnest($4::text[], $5::text[]))
)
select
  array(select batch_id::text from claimed) as fresh,
  coalesce((
    select json_agg(json_build_object(
      'id', b.binding_id,
      'pack', b.pack_id,
      'account', b.account,
      'mode', b.mode,
      'project', b.project_id,
      'principal', json_build_object('id', p.principal_id, 'kind', p.kind, 'tenant', p.tenant_id),
      'senseEnabled', exists (
        select from sense.grants g where g.principal_id = b.principal_id
          and g.capability = 'sense.enable' and g.pack_id = b.pack_id),
      'elevated', exists (
        select from sense.grants g where g.principal_id = b.principal_id and g.elevation = b.binding_id)
    ) order by b.binding_id)
    from wanted join sense.bindings b using (binding_id) join sense.principals p using (principal_id)
  ), '[]')::text as bindings,
  coalesce((
    select json_object_agg(pack_id, sense) from sense.activation where pack_id = any($6::text[])
  ), '{}')::text as activation
`;
