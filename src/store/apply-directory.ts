import type { Pool, PoolClient } from 'pg';
import type { ParsedDirectory } from '../domain/directory-schema.ts';
import { CodedError } from '../domain/errors.ts';
import { changeDirectory } from './change-directory.ts';
import { checkReferences } from './check-references.ts';

export type Change = {
  kind: 'principal' | 'binding' | 'grant' | 'activation';
  id: string;
  change: 'created' | 'updated' | 'unchanged';
};

/**
 * Upserts a directory, all or nothing. What it does not name is left alone; applying the same again changes nothing.
 * Takes effect as G3 says: when it has returned, no later commit rests on what it replaced.
 * @returns one entry per item, in the order given
 * @throws DIRECTORY_INVALID with every reference that leads nowhere
 */
export const applyDirectory = (pool: Pool, directory: ParsedDirectory): Promise<Change[]> =>
  changeDirectory(pool, async (client) => {
    const faults = await checkReferences(client, directory);
    if (faults.length > 0) throw new CodedError('DIRECTORY_INVALID', faults.join('; '), { faults });

    const { principals, bindings, grants, activation } = directory;
    return [
      ...(await upsert(client, 'principal', principals)),
      ...(await upsert(client, 'binding', bindings)),
      ...(await upsert(client, 'grant', grants)),
      ...(await upsert(
        client,
        'activation',
        Object.entries(activation).map(([id, sense]) => ({ id, sense })),
      )),
    ];
  });

const upsert = async (
  client: PoolClient,
  kind: Change['kind'],
  items: readonly { id: string }[],
): Promise<Change[]> => {
  if (items.length === 0) return [];
  const { rows } = await client.query<{ id: string; created: boolean }>(upserts[kind], [
    JSON.stringify(items),
  ]);
  const touched = new Map(rows.map((row) => [row.id, row.created]));
  return items.map(({ id }) => {
    const created = touched.get(id);
    return { kind, id, change: created === undefined ? 'unchanged' : created ? 'created' : 'updated' };
  });
};

// A row that is the same is not returned. `xmax = 0` tells an inserted row from an updated one.
const upserts: Record<Change['kind'], string> = {
  principal: `
    insert into sense.principals as p (principal_id, tenant_id, kind, projects)
    select id, tenant, kind, projects
    from json_to_recordset($1) as given (id text, tenant text, kind text, projects text[])
    on conflict (principal_id) do update
      set tenant_id = excluded.tenant_id, kind = excluded.kind, projects = excluded.projects, updated_at = now()
      where (p.tenant_id, p.kind, p.projects) is distinct from (excluded.tenant_id, excluded.kind, excluded.projects)
    returning principal_id as id, xmax = 0 as created`,
  binding: `
    insert into sense.bindings as b (binding_id, pack_id, principal_id, account, mode, project_id)
    select id, pack, principal, account, mode, project
    from json_to_recordset($1) as given (id text, pack text, principal text, account text, mode text, project text)
    on conflict (binding_id) do update
      set pack_id = excluded.pack_id, principal_id = excluded.principal_id, account = excluded.account,
        mode = excluded.mode, project_id = excluded.project_id, updated_at = now()
      where (b.pack_id, b.principal_id, b.account, b.mode, b.project_id) is distinct from
        (excluded.pack_id, excluded.principal_id, excluded.account, excluded.mode, excluded.project_id)
    returning binding_id as id, xmax = 0 as created`,
  grant: `
    insert into sense.grants as g (grant_id, principal_id, capability, pack_id, verb_keys, elevation)
    select id, principal, capability, pack, "verbKeys", elevation
    from json_to_recordset($1)
      as given (id text, principal text, capability text, pack text, "verbKeys" text[], elevation text)
    on conflict (grant_id) do update
      set principal_id = excluded.principal_id, capability = excluded.capability, pack_id = excluded.pack_id,
        verb_keys = excluded.verb_keys, elevation = excluded.elevation, updated_at = now()
      where (g.principal_id, g.capability, g.pack_id, g.verb_keys, g.elevation) is distinct from
        (excluded.principal_id, excluded.capability, excluded.pack_id, excluded.verb_keys, excluded.elevation)
    returning grant_id as id, xmax = 0 as created`,
  activation: `
    insert into sense.activation as a (pack_id, sense)
    select id, sense from json_to_recordset($1) as given (id text, sense text)
    on conflict (pack_id) do update set sense = excluded.sense, updated_at = now()
      where a.sense is distinct from excluded.sense
    returning pack_id as id, xmax = 0 as created`,
};
