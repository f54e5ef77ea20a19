import type { PoolClient } from 'pg';

/** The two keys of the advisory lock that stands for the whole directory. Fixed: other processes use the same. */
const DIRECTORY_LOCK = '386142, 1';

/**
 * SQL that takes the directory lock for the rest of the transaction: shared by whoever records, exclusive by whoever
 * changes the directory. A change therefore waits for the batches that read the old facts, and every later batch reads
 * the new ones: when a revoke has returned, nothing is recorded under it any more (G3). It must be a statement of its
 * own, before the facts are read: a statement's snapshot is taken before it waits for a lock.
 * Why one lock and not row locks: docs/decisions/0003-directory-lock.md.
 */
export const directoryLockSql = (mode: 'shared' | 'exclusive'): string =>
  mode === 'shared'
    ? `select pg_advisory_xact_lock_shared(${DIRECTORY_LOCK})`
    : `select pg_advisory_xact_lock(${DIRECTORY_LOCK})`;

/** Takes the directory lock in the transaction that `client` has open. Waits; `lock_timeout` bounds the wait. */
export const lockDirectory = async (client: PoolClient, mode: 'shared' | 'exclusive'): Promise<void> => {
  await client.query(directoryLockSql(mode));
};
