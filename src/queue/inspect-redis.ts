import { Redis } from 'ioredis';
import { CodedError } from '../domain/errors.ts';
import { type RedisFacts, readRedisFacts } from './read-redis-facts.ts';

export type RedisInspection = RedisFacts & {
  /** `always`, `everysec`, `no`; null where the server does not tell (hosted ones forbid CONFIG). */
  appendfsync: string | null;
};

/**
 * What a Redis says about keeping what it is given; over a connection of its own that is closed again.
 *
 * @throws QUEUE_UNREACHABLE
 */
export const inspectRedis = async (url: string): Promise<RedisInspection> => {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 3000,
    commandTimeout: 3000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let lost: Error | null = null;
  redis.on('error', (error) => {
    lost = error;
  });
  try {
    await redis.connect();
    const facts = readRedisFacts(await redis.info());
    const answer = await redis.config('GET', 'appendfsync').catch(() => []);
    const value = Array.isArray(answer) ? answer[1] : null;
    return { ...facts, appendfsync: typeof value === 'string' ? value : null };
  } catch (error) {
    // ioredis says "Connection is closed." of a failed first connection and tells the cause apart.
    const cause: unknown = lost ?? error;
    const why =
      cause instanceof Error && cause.message !== '' ? cause.message.slice(0, 200) : 'no connection';
    throw new CodedError('QUEUE_UNREACHABLE', `Redis does not answer (${why})`);
  } finally {
    redis.disconnect();
  }
};
