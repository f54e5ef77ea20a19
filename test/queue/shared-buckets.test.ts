import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { createGates } from '../../src/create-gates.ts';
import { createSharedBuckets } from '../../src/queue/create-shared-buckets.ts';
import { startRedis } from '../helpers/start-redis.ts';
import { freshRedis, redisUrl } from '../helpers/stores.ts';
import { until } from './until.ts';

const log = pino({ level: 'silent' });
let closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.reverse()) await close();
  closers = [];
});

const open = (url: string) => {
  const buckets = createSharedBuckets({ url, log });
  closers.push(buckets.close);
  return buckets;
};
const ready = async (buckets: ReturnType<typeof open>) =>
  until(async () => (await buckets.take('probe', { perSecond: 1000, burst: 1000 })) !== null);

describe.skipIf(redisUrl === null)('token buckets on Redis', () => {
  test('two processes share one: together they get its burst and no more, and are told the same wait', async () => {
    const url = await freshRedis();
    const both = [open(url), open(url)];
    for (const buckets of both) await ready(buckets);
    const pace = { perSecond: 0.01, burst: 10 };
    const waits = await Promise.all(
      Array.from({ length: 30 }, (_, n) => both[n % 2]?.take('mail-hook', pace) ?? Promise.resolve(null)),
    );
    expect(waits.filter((wait) => wait === 0)).toHaveLength(10);
    const longer = waits.filter((wait) => wait !== 0);
    expect(longer).toHaveLength(20);
    for (const wait of longer) {
      expect(wait).toBeGreaterThan(90_000);
      expect(wait).toBeLessThanOrEqual(100_000);
    }
    // Another source has a bucket of its own.
    expect(await both[0]?.take('github', pace)).toBe(0);
  });

  test('tokens come back with time', async () => {
    const buckets = open(await freshRedis());
    await ready(buckets);
    const pace = { perSecond: 20, burst: 2 };
    expect([await buckets.take('s', pace), await buckets.take('s', pace)]).toEqual([0, 0]);
    await until(async () => (await buckets.take('s', pace)) === 0);
  });

  test('Redis gone or frozen: it does not say, the memory of the process decides, and nothing waits for it', async () => {
    const redis = await startRedis();
    closers.push(redis.stop);
    const { gates, close } = createGates({
      config: {
        http: { host: '', port: 0, body_limit: 10, trusted_proxies: [] },
        sources: [
          {
            id: 'mail-hook',
            type: 'webhook',
            pack: 'mail',
            secrets: [],
            paused: false,
            rate_limit: { per_second: 0.01, burst: 2 },
          },
        ],
      },
      store: { kind: 'redis', url: redis.url },
      log,
    });
    closers.push(close);
    const spend = gates.get('mail-hook')?.spend ?? (() => -1);
    const buckets = open(redis.url);
    await ready(buckets);
    expect(await open('redis://127.0.0.1:1').take('s', { perSecond: 1, burst: 1 })).toBeNull();
    redis.process().kill('SIGSTOP');
    try {
      expect(await buckets.take('s', { perSecond: 1, burst: 1 })).toBeNull();
      const waits = [await spend(), await spend(), await spend()];
      expect(waits.slice(0, 2)).toEqual([0, 0]);
      expect(waits[2]).toBeGreaterThan(0);
    } finally {
      redis.process().kill('SIGCONT');
    }
    await ready(buckets);
  });
});
