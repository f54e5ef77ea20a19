import type { Pool } from 'pg';
import type { Capability } from '../domain/directory.ts';
import { CodedError } from '../domain/errors.ts';
import { changeDirectory } from './change-directory.ts';

/**
 * Takes a capability on a pack away from a Principal, under whatever ids it was granted: after a revoke none may be left.
 * @returns ids of the grants that went; none where there was nothing to take
 * @throws DIRECTORY_UNKNOWN where there is no such Principal
 */
export const revokeCapability = (
  pool: Pool,
  principal: string,
  capability: Capability,
  pack: string,
): Promise<string[]> =>
  changeDirectory(pool, async (client) => {
    const known = await client.query('select from sense.principals where principal_id = $1', [principal]);
    if (known.rowCount === 0)
      throw new CodedError('DIRECTORY_UNKNOWN', `There is no principal "${principal}"`);
    const { rows } = await client.query<{ grant_id: string }>(
      `delete from sense.grants where principal_id = $1 and capability = $2 and pack_id = $3
       returning grant_id`,
      [principal, capability, pack],
    );
    return rows.map((row) => row.grant_id).sort();
  });
