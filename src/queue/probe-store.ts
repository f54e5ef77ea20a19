import type { Redis } from 'ioredis';
import type { Pool } from 'pg';
import { CodedError } from '../domain/errors.ts';
import type { Producer } from './open-producer.ts';
import { keyPrefix } from './queue-names.ts';
import { type RedisFacts, readRedisFacts } from './read-redis-facts.ts';
import { withDeadline } from './with-deadline.ts';

/** `warnings` are sentences for people: what would lose or refuse events one day. They stop nothing. */
export type StoreFacts = {
  kind: 'redis' | 'postgres';
  /** How long the write took. */
  tookMs: number;
  version: string;
  warnings: readonly string[];
  redis: RedisFacts | null;
};

type Probed = Pick<StoreFacts, 'version' | 'warnings' | 'redis'>;

const deadlineMs = 2500;
const undefinedTable = '42P01';

/**
 * Writes to the store, because a connection that is open, or even reads, says nothing about a full disk or memory, a
 * replica, or a store that hangs.
 * `opened` resolves when the queues are.
 *
 * @throws CodedError QUEUE_UNREACHABLE
 */
export const probeStore = async (
  store: Producer['store'],
  opened: () => Promise<unknown>,
): Promise<StoreFacts> => {
  const from = Date.now();
  try {
    const probed = store.kind === 'redis' ? probeRedis(store.redis) : probePostgres(store.pool, opened);
    const facts = await withDeadline(
      probed,
      deadlineMs,
      () => new Error(`no answer within ${deadlineMs} ms`),
    );
    return { kind: store.kind, tookMs: Date.now() - from, ...facts };
  } catch (error) {
    const why =
      error instanceof Error && error.message !== '' ? error.message.slice(0, 200) : 'no connection';
    throw new CodedError('QUEUE_UNREACHABLE', `The queue store does not take a write: ${why}`);
  }
};

const probeRedis = async (redis: Redis): Promise<Probed> => {
  const [, info] = await Promise.all([
    redis.set(`${keyPrefix}:sense-probe`, String(Date.now()), 'PX', 60_000),
    redis.info(),
  ]);
  const facts = readRedisFacts(info);
  return { version: facts.version, warnings: facts.warnings, redis: facts };
};

const probePostgres = async (pool: Pool, opened: () => Promise<unknown>): Promise<Probed> => {
  const write = () =>
    pool.query(
      `insert into meta (queue, field, value) values ('sense-probe', 'at', $1)
       on conflict (queue, field) do update set value = excluded.value`,
      [String(Date.now())],
    );
  try {
    await write();
  } catch (error) {
    // On an empty database the first probe may come before BullMQ's tables; any other fault is told at once.
    if (!(error instanceof Error && 'code' in error && error.code === undefinedTable)) throw error;
    await opened();
    await write();
  }
  const { rows } = await pool.query<{ version: string; durable: string }>(
    `select current_setting('server_version') as version, current_setting('synchronous_commit') as durable`,
  );
  const { version = 'unknown', durable = 'on' } = rows[0] ?? {};
  const warnings =
    durable === 'off'
      ? ['synchronous_commit is off: a crash of Postgres loses deliveries that were already acknowledged.']
      : [];
  return { version, warnings, redis: null };
};
