import { setTimeout as sleep } from 'node:timers/promises';
import { Redis, type RedisOptions } from 'ioredis';
import type { OutageLog } from './create-outage-log.ts';
import { withDeadline } from './with-deadline.ts';

/** `producer`: an HTTP caller waits, so fail fast. `consumer`: nobody waits, so reconnect for ever. */
export type Side = 'producer' | 'consumer';

const common = {
  connectTimeout: 2000,
  keepAlive: 10_000,
  retryStrategy: (attempt) => Math.min(50 * 2 ** Math.min(attempt, 10), 1000),
  // After a failover the old master refuses writes: go and find the new one, and send the command again (2).
  reconnectOnError: (error) => (error.message.startsWith('READONLY') ? 2 : false),
} satisfies RedisOptions;

const sides: Readonly<Record<Side, RedisOptions>> = {
  producer: { ...common, maxRetriesPerRequest: 1, commandTimeout: 2000 },
  // BullMQ asks for null.
  consumer: {
    ...common,
    maxRetriesPerRequest: null,
    // What is sent in one turn of the loop goes out in one write: half of a worker's time went into writes.
    enableAutoPipelining: true,
  },
};

const beatEveryMs = 3000;
const beatDeadlineMs = 5000;

export type OpenRedis = {
  redis: Redis;
  /** Cuts the connection for good. What is under way is rejected. */
  disconnect(): void;
};

/** A client that connects by itself, now and after every loss; its errors end in the outage log, never in a crash. */
export const openRedis = (url: string, side: Side, outage: OutageLog): OpenRedis => {
  const redis = new Redis(url, sides[side]);
  redis.on('error', (error) => outage.failed(error));
  redis.on('ready', () => outage.recovered());

  // A peer that vanished without a word would else be noticed after the kernel's quarter of an hour. ioredis' own
  // `socketTimeout` is no help: its timer survives a reconnect and then cuts the new, healthy connection (5.11.1).
  let over = false;
  let beating = false;
  let openings = 0;
  redis.on('ready', () => {
    openings += 1;
  });
  const beat = async () => {
    const { status } = redis;
    if (beating || (status !== 'ready' && status !== 'connect')) return;
    beating = true;
    const before = openings;
    try {
      // A server that took the connection and then hangs leaves it at `connect`, where no command is sent.
      const answer = status === 'ready' ? redis.ping() : sleep(beatDeadlineMs, null, { ref: false });
      await withDeadline(answer, beatDeadlineMs, () => new Error(`no answer within ${beatDeadlineMs} ms`));
      if (status === 'connect' && openings === before) throw new Error('connected, but no answer');
    } catch (error) {
      outage.failed(error);
      if (!over && redis.status === status) redis.disconnect(true);
    } finally {
      beating = false;
    }
  };
  const timer = setInterval(() => void beat(), beatEveryMs);
  return {
    redis,
    disconnect() {
      over = true;
      clearInterval(timer);
      redis.disconnect();
    },
  };
};
