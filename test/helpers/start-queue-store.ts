import { Redis } from 'ioredis';
import { Client } from 'pg';
import { cutOff, holdAll } from './hold-database.ts';
import { startRedis } from './start-redis.ts';
import { freshDatabase, type QueueBackend } from './stores.ts';

/** A queue store of the caller's own, to be maltreated: the same things can be done to either kind. */
export type QueueStoreUnderTest = {
  kind: QueueBackend['kind'];
  url: string;
  /** It takes connections and answers nothing, until `thaw`. */
  freeze(): Promise<{ thaw(): Promise<void> }>;
  /** It is gone, comes back with `restore`, and has what it had. */
  outage(): Promise<{ restore(): Promise<void> }>;
  /** Everything in it is lost while it runs. */
  loseEverything(): Promise<void>;
  stop(): Promise<void>;
};

export const startQueueStore = (kind: QueueBackend['kind']): Promise<QueueStoreUnderTest> =>
  kind === 'redis' ? startOnRedis() : startOnPostgres();

const startOnRedis = async (): Promise<QueueStoreUnderTest> => {
  const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'everysec']);
  return {
    kind: 'redis',
    url: redis.url,
    async freeze() {
      redis.process().kill('SIGSTOP');
      return {
        async thaw() {
          redis.process().kill('SIGCONT');
        },
      };
    },
    async outage() {
      const server = redis.process();
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGKILL');
      await ended;
      return { restore: redis.restart };
    },
    async loseEverything() {
      const client = new Redis(redis.url);
      await client.flushall();
      client.disconnect();
    },
    stop: redis.stop,
  };
};

const startOnPostgres = async (): Promise<QueueStoreUnderTest> => {
  const { url, drop } = await freshDatabase();
  const onTables = async <T>(work: (tables: string[], client: Client) => Promise<T>): Promise<T> => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      const { rows } = await client.query<{ name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables
         where schemaname = 'bullmq' and tablename not like '%migration%'`,
      );
      return await work(
        rows.map(({ name }) => name),
        client,
      );
    } finally {
      await client.end();
    }
  };
  return {
    kind: 'postgres',
    url,
    async freeze() {
      const hold = await onTables((tables) => holdAll(url, tables));
      return { thaw: hold.release };
    },
    outage: () => cutOff(url),
    loseEverything: () =>
      onTables(async (tables, client) => {
        await client.query(`truncate ${tables.join(', ')} cascade`);
      }),
    stop: drop,
  };
};
