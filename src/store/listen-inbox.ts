import { Client, type Pool } from 'pg';
import type { Logger } from 'pino';

const FIRST_RETRY_MS = 250;
const LAST_RETRY_MS = 10_000;

/**
 * Calls `onNotice` whenever a transaction that put records into the inbox has committed, anywhere. One connection of
 * its own for the whole process, outside the pool, so that leasers that wait hold none. It reconnects for ever and calls
 * `onNotice` after each reconnect, because notices sent in between are gone; callers must poll slowly all the same
 * (a pooler in transaction mode never delivers any).
 */
export const listenInbox = ({
  pool,
  log,
  onNotice,
}: {
  pool: Pool;
  log: Logger;
  onNotice: () => void;
}): { close: () => Promise<void> } => {
  let closed = false;
  let client: Client | null = null;
  let timer: NodeJS.Timeout | null = null;
  let retryMs = FIRST_RETRY_MS;

  const retry = (error: unknown): void => {
    client = null;
    if (closed || timer !== null) return;
    log.warn({ err: error, retryMs }, 'inbox.listen.lost');
    timer = setTimeout(() => {
      timer = null;
      connecting = connect();
    }, retryMs);
    timer.unref();
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS);
  };

  const connect = async (): Promise<void> => {
    const next = new Client({ ...pool.options, password: pool.options.password, keepAlive: true });
    let lost = false;
    const lose = (error: unknown): void => {
      if (lost) return;
      lost = true;
      next.end().catch(() => undefined);
      retry(error);
    };
    next.on('error', lose);
    next.on('end', () => lose(new Error('connection ended')));
    next.on('notification', onNotice);
    try {
      await next.connect();
      await next.query('listen sense_inbox');
      client = next;
      retryMs = FIRST_RETRY_MS;
      onNotice();
    } catch (error) {
      lose(error);
    }
  };
  let connecting = connect();

  return {
    close: async () => {
      closed = true;
      if (timer !== null) clearTimeout(timer);
      await connecting;
      await client?.end();
    },
  };
};
