import { Pool, types } from 'pg';
import type { Logger } from 'pino';

const JSON_OID = 114;
const asText = (text: string) => text;

export type PoolOptions = {
  log: Logger;
  /** Connections at most; 10 if left out. */
  max?: number;
  /** Shown in pg_stat_activity. */
  applicationName?: string;
  /** A statement is ended by the server after this; 30 s if left out. */
  statementTimeoutMs?: number;
  /**
   * A transaction whose client says nothing for this long is rolled back; 15 s if left out. It bounds how long a stopped
   * or stuck process can hold the directory lock and with it every revoke (docs/decisions/0003-directory-lock.md).
   */
  idleInTransactionTimeoutMs?: number;
};

/**
 * A pool of connections to Postgres. `json` columns come back as the text they hold (G9: numbers, key order and doubled
 * keys would not survive a parse); `jsonb` is parsed as usual.
 */
export const createPool = (url: string, options: PoolOptions): Pool => {
  const pool = new Pool({
    connectionString: url,
    max: options.max ?? 10,
    application_name: options.applicationName ?? 'hcp-sense',
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 15_000,
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        oid === JSON_OID ? asText : types.getTypeParser(oid, format)) as typeof types.getTypeParser,
    },
  });
  // A client whose server goes away emits `error`, also while a caller holds it, when the pool does not listen for it;
  // unheard, it would end the process. The caller's query rejects as well, so here it is only logged.
  pool.on('connect', (client) => {
    client.on('error', (error) => options.log.warn({ err: error }, 'database.connection_lost'));
  });
  // The pool passes on what its idle clients say, and must be heard too.
  pool.on('error', () => undefined);
  return pool;
};
