import type { Pool } from 'pg';

/**
 * Takes the lock of a source: of all processes on this database one holds it, until it releases it or its connection
 * ends. It keeps a connection of the pool for itself; a pooler between us and Postgres must keep sessions, too.
 *
 * @returns null where another process holds it; `gone` resolves when it is no longer held
 */
export const takeSourceLock = async (
  pool: Pool,
  source: string,
): Promise<{ gone: Promise<void>; release(): Promise<void> } | null> => {
  const client = await pool.connect();
  let over = false;
  const gone = new Promise<void>((resolve) => {
    const end = () => {
      over = true;
      resolve();
    };
    // A checked-out client that loses its connection emits `error`; unheard, that ends the process.
    client.on('error', end);
    client.on('end', end);
  });
  try {
    const { rows } = await client.query<{ taken: boolean }>(`select pg_try_advisory_lock(${key}) as taken`, [
      source,
    ]);
    if (rows[0]?.taken !== true) {
      client.release();
      return null;
    }
  } catch (error) {
    client.release(true);
    throw error;
  }
  return {
    gone,
    async release() {
      if (over) return client.release(true);
      try {
        await client.query(`select pg_advisory_unlock(${key})`, [source]);
        client.release();
      } catch {
        // The connection, and with it the lock, is gone.
        client.release(true);
      }
    },
  };
};

const key = `hashtextextended('hcp-sense source ' || $1::text, 0)`;
