import { join } from 'node:path';
import type { ConfigFault } from './describe-config-issue.ts';
import type { EmbeddedStore, StoreServer, Stores } from './loaded-config.ts';
import { type Environment, readSecret } from './read-secret.ts';
import type { SecretRef } from './schema.ts';

type AnyServer = StoreServer<'redis' | 'postgres'>;

const kinds: Readonly<Record<string, AnyServer['kind']>> = {
  'redis:': 'redis',
  'rediss:': 'redis',
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
};

/** The URL itself is never shown: it holds a password. */
const readServer = (url: string): AnyServer | null => {
  if (!URL.canParse(url)) return null;
  const kind = kinds[new URL(url).protocol];
  return kind === undefined ? null : { kind, url };
};

type Settings = { url?: SecretRef | undefined };

/**
 * Where the stores are: `database.url`, else DATABASE_URL, else embedded; `queue.url`, else REDIS_URL, else where the
 * database is. A blank DATABASE_URL or REDIS_URL is as good as none (compose files write `${REDIS_URL:-}`), but one that
 * the configuration names and that is unset is a fault: events must not go silently to a store that nobody meant.
 */
export const resolveStores = async ({
  database,
  queue,
  env,
  dir,
  home,
}: {
  database: Settings;
  queue: Settings;
  env: Environment;
  dir: string;
  home: string;
}): Promise<{ stores: Stores; faults: ConfigFault[] }> => {
  const faults: ConfigFault[] = [];
  const embedded: EmbeddedStore = { kind: 'embedded', dir: join(home, 'postgres') };
  const look = async (
    section: 'database' | 'queue',
    settings: Settings,
    fallback: string,
  ): Promise<AnyServer | null> => {
    const expected =
      section === 'database'
        ? 'expected a URL of Postgres, postgres:// or postgresql://'
        : 'expected a URL of Redis or Postgres, redis://, rediss://, postgres:// or postgresql://';
    const reading =
      settings.url === undefined
        ? { value: env[fallback]?.trim() ?? '' }
        : await readSecret(settings.url, { env, dir });
    if ('unusable' in reading) {
      faults.push({ path: [section, 'url'], message: reading.unusable });
      return null;
    }
    if (reading.value === '') return null;
    const server = readServer(reading.value.trim());
    if (server === null || (section === 'database' && server.kind === 'redis')) {
      const what = settings.url === undefined ? `environment variable ${fallback}: ` : '';
      faults.push({
        path: settings.url === undefined ? [section] : [section, 'url'],
        message: `${what}${expected}`,
      });
      return null;
    }
    return server;
  };

  const databaseServer = await look('database', database, 'DATABASE_URL');
  const queueServer = await look('queue', queue, 'REDIS_URL');
  const kept: Stores['database'] =
    databaseServer === null ? embedded : { kind: 'postgres', url: databaseServer.url };
  return { stores: { database: kept, queue: queueServer ?? kept }, faults };
};
