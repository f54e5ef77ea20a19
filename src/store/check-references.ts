import type { PoolClient } from 'pg';
import type { ParsedDirectory } from '../domain/directory-schema.ts';

/**
 * What a directory refers to that neither it nor the database holds, and Bindings that claim another tenant than their
 * Principal's. Reads under the directory lock, so nothing it found can be taken away before the write.
 * @returns one sentence per fault
 */
export const checkReferences = async (client: PoolClient, directory: ParsedDirectory): Promise<string[]> => {
  const { principals, bindings, grants } = directory;
  const tenants = new Map<string, string>();
  const stored = await client.query<{ principal_id: string; tenant_id: string }>(
    'select principal_id, tenant_id from sense.principals where principal_id = any($1)',
    [[...bindings, ...grants].map((each) => each.principal)],
  );
  for (const row of stored.rows) tenants.set(row.principal_id, row.tenant_id);
  for (const principal of principals) tenants.set(principal.id, principal.tenant);

  const elevations = grants.flatMap((grant) => ('elevation' in grant ? [grant.elevation] : []));
  const known = await client.query<{ binding_id: string }>(
    'select binding_id from sense.bindings where binding_id = any($1)',
    [elevations],
  );
  const bindingIds = new Set([
    ...known.rows.map((row) => row.binding_id),
    ...bindings.map((binding) => binding.id),
  ]);

  const faults: string[] = [];
  for (const { id, principal, tenant } of bindings) {
    const own = tenants.get(principal);
    if (own === undefined) faults.push(`binding ${id}: there is no principal "${principal}"`);
    else if (tenant !== undefined && tenant !== own) {
      faults.push(`binding ${id}: claims tenant "${tenant}", but principal "${principal}" is of "${own}"`);
    }
  }
  for (const grant of grants) {
    if (!tenants.has(grant.principal)) {
      faults.push(`grant ${grant.id}: there is no principal "${grant.principal}"`);
    }
    if ('elevation' in grant && !bindingIds.has(grant.elevation)) {
      faults.push(`grant ${grant.id}: there is no binding "${grant.elevation}"`);
    }
  }
  return faults;
};
