import type { Pool } from 'pg';
import { changeDirectory } from './change-directory.ts';

const statements = {
  principals: 'delete from sense.principals where principal_id = $1',
  bindings: 'delete from sense.bindings where binding_id = $1',
  grants: 'delete from sense.grants where grant_id = $1',
} as const;

export type DirectorySection = keyof typeof statements;

/**
 * Removes one item of the directory; grants go with their Principal, elevations with their Binding. Records stay: they
 * say whose they were.
 * @returns false where there is nothing of this id
 * @throws DIRECTORY_INVALID where Bindings still refer to the Principal
 */
export const removeFromDirectory = (pool: Pool, section: DirectorySection, id: string): Promise<boolean> =>
  changeDirectory(pool, async (client) => {
    const { rowCount } = await client.query(statements[section], [id]);
    return rowCount === 1;
  });
