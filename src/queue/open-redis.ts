import { Redis, type RedisOptions } from 'ioredis';
import type { OutageLog } from './create-outage-log.ts';

/** `producer`: an HTTP caller waits, so fail fast. `consumer`: nobody waits, so reconnect for ever. */
export type Side = 'producer' | 'consumer';

const common = {
  connectTimeout: 2000,
  // A peer that vanished without a word is noticed in seconds, not after the kernel's quarter of an hour.
  keepAlive: 10_000,
  retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 10), 1000),
  // After a failover the old master refuses writes: go and find the new one, and send the command again (2).
  reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
} satisfies RedisOptions;

const sides: Readonly<Record<Side, RedisOptions>> = {
  producer: { ...common, maxRetriesPerRequest: 1, commandTimeout: 2000, socketTimeout: 3000 },
  // BullMQ asks for null. The socket timeout is above the longest time that a blocking command of ours blocks.
  consumer: { ...common, maxRetriesPerRequest: null, socketTimeout: 10_000 },
};

/** A client that connects by itself, now and after every loss; its errors end in the outage log, never in a crash. */
export const openRedis = (url: string, side: Side, outage: OutageLog): Redis => {
  const redis = new Redis(url, sides[side]);
  redis.on('error', (error) => outage.failed(error));
  redis.on('ready', () => outage.recovered());
  return redis;
};
