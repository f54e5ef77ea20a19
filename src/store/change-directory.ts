import type { Pool, PoolClient } from 'pg';
import { CodedError } from '../domain/errors.ts';
import { inTransaction } from './in-transaction.ts';
import { directoryLockSql } from './lock-directory.ts';

/**
 * Runs a change of the directory in a transaction of its own, under the exclusive directory lock. It therefore waits
 * for every batch that read the old facts, and when it returns no later commit rests on them (G3). Leasers that wait are
 * told: a membership may have made withheld records visible.
 *
 * All that changes the directory goes through here; a change beside it would not be linearizable.
 *
 * @throws DIRECTORY_INVALID where something else still refers to what is changed
 */
export const changeDirectory = async <T>(
  pool: Pool,
  change: (client: PoolClient) => Promise<T>,
): Promise<T> => {
  try {
    return await inTransaction(
      pool,
      async (client) => {
        const outcome = await change(client);
        await client.query('notify sense_inbox');
        return outcome;
      },
      `begin; ${directoryLockSql('exclusive')}`,
    );
  } catch (error) {
    if (isForeignKeyFault(error)) {
      throw new CodedError('DIRECTORY_INVALID', `Something still refers to it (${error.table})`, {
        cause: error,
      });
    }
    throw error;
  }
};

const isForeignKeyFault = (error: unknown): error is Error & { table: string } =>
  error instanceof Error && 'code' in error && error.code === '23503' && 'table' in error;
