import type { Pool, PoolClient } from 'pg';

/**
 * Runs `work` in a transaction on a connection of its own: committed when it resolves, rolled back when it rejects. A
 * connection that can't even roll back is gone, and with it the transaction and its locks: it is thrown away rather than
 * given back to the pool.
 *
 * @param begin what opens the transaction; it may take locks in statements of their own
 * @throws what `work` or Postgres throws
 */
export const inTransaction = async <T>(
  pool: Pool,
  work: (client: PoolClient) => Promise<T>,
  begin = 'begin',
): Promise<T> => {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query(begin);
    const outcome = await work(client);
    await client.query('commit');
    return outcome;
  } catch (error) {
    await client.query('rollback').catch((fault: Error) => {
      broken = fault;
    });
    throw error;
  } finally {
    client.release(broken);
  }
};
