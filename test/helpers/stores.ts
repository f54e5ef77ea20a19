import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { describe, inject, test } from 'vitest';

const postgres = inject('postgres');
const redis = inject('redis');

// A file that wants stores and can't have one says so and counts as skipped, whatever it does with `queueBackends`.
for (const [name, part] of Object.entries({ postgres, redis })) {
  if ('url' in part) continue;
  describe(`${name} can't be had (${part.reason})`, () => {
    test.skipIf('reason' in part)('its suites are skipped', () => undefined);
  });
}

const databaseUrl = (name: string) => {
  if ('reason' in postgres) throw new Error(`postgres can't be had: ${postgres.reason}`);
  const url = new URL(postgres.url);
  url.pathname = `/${name}`;
  return url.href;
};

const withAdmin = async (work: (client: Client) => Promise<unknown>) => {
  const client = new Client({ connectionString: databaseUrl('postgres') });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
};

/** Whether real Postgres is there; `describe.skipIf(!hasPostgres)` for suites that need it. */
export const hasPostgres = 'url' in postgres;

/** A migrated database of the caller's own (schema `sense` and BullMQ's `bullmq`). Drop it when done; it may still be in use then. */
export const freshDatabase = async (): Promise<{ url: string; drop(): Promise<void> }> => {
  const name = `t_${randomBytes(8).toString('hex')}`;
  await withAdmin((client) => client.query(`create database ${name} template template_sense`));
  return {
    url: databaseUrl(name),
    drop: () => withAdmin((client) => client.query(`drop database if exists ${name} with (force)`)),
  };
};

/** The run's Redis, database 0, shared by all: for reading only. `freshRedis()` is the caller's own. */
export const redisUrl: string | null = 'url' in redis ? redis.url : null;

/** A logical Redis database that no other test of this run has, empty. */
export const freshRedis = async (): Promise<string> => {
  if ('reason' in redis) throw new Error(`redis can't be had: ${redis.reason}`);
  const client = new Redis(redis.url);
  try {
    const [, count] = (await client.config('GET', 'databases')) as [string, string];
    const turn = await client.incr('sense-test:next-database');
    const number = 1 + ((turn - 1) % (Number(count) - 1));
    await client.select(number);
    await client.flushdb();
    const url = new URL(redis.url);
    url.pathname = `/${number}`;
    return url.href;
  } finally {
    client.disconnect();
  }
};

export type QueueBackend = { kind: 'redis' | 'postgres'; url(): Promise<string> };

const backends: QueueBackend[] = [
  { kind: 'redis', url: freshRedis },
  { kind: 'postgres', url: async () => (await freshDatabase()).url },
];

/** The queue stores that can be had here, for `describe.each`; each `url()` is a fresh, empty store. */
export const queueBackends: QueueBackend[] = backends.filter(
  ({ kind }) => 'url' in { redis, postgres }[kind],
);
