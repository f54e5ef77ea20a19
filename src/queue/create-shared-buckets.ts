import type { Result } from 'ioredis';
import type { Logger } from 'pino';
import { createOutageLog } from './create-outage-log.ts';
import { openRedis } from './open-redis.ts';
import { keyPrefix } from './queue-names.ts';
import { withDeadline } from './with-deadline.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    takeToken(key: string, intervalUs: number, burst: number): Result<number, Context>;
  }
}

// The key holds when the bucket is full again, in microseconds of Redis' own clock: processes need not agree on theirs.
const takeToken = `
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local interval = tonumber(ARGV[1])
local full = tonumber(redis.call('GET', KEYS[1]) or now)
local next = math.max(full, now) + interval
local wait = next - now - interval * tonumber(ARGV[2])
if wait > 1 then return math.ceil(wait / 1000) end
redis.call('SET', KEYS[1], string.format('%.0f', next), 'PX', math.ceil((next - now) / 1000))
return 0
`;

/** A provider waits for its answer, and the memory of this process knows well enough. */
const answerMs = 250;
/** How long Redis is not asked again after it gave no answer. */
const restMs = 1_000;

/**
 * Token buckets on Redis, one for each key, shared by all processes.
 * @returns `take`: 0, or the milliseconds until there is a token, or null where Redis doesn't say
 */
export const createSharedBuckets = ({ url, log }: { url: string; log: Logger }) => {
  const { redis, disconnect } = openRedis(url, 'producer', createOutageLog(log, 'rate limits'));
  redis.defineCommand('takeToken', { numberOfKeys: 1, lua: takeToken });
  let restUntil = 0;

  return {
    async take(
      key: string,
      { perSecond, burst }: { perSecond: number; burst: number },
    ): Promise<number | null> {
      if (redis.status !== 'ready' || performance.now() < restUntil) return null;
      try {
        const asked = redis.takeToken(`${keyPrefix}:rate:${key}`, 1_000_000 / perSecond, burst);
        return await withDeadline(asked, answerMs, () => new Error(`no answer within ${answerMs} ms`));
      } catch (error) {
        restUntil = performance.now() + restMs;
        const why = error instanceof Error ? error.message : String(error);
        log.warn({ what: 'rate limits', why }, 'rate.kept_in_memory');
        return null;
      }
    },
    close: async (): Promise<void> => disconnect(),
  };
};
