import { describe, expect, it } from 'vitest';
import { readRedisFacts } from '../../src/queue/read-redis-facts.ts';

const info = (fields: Record<string, string | number>) =>
  `# Server\r\n${Object.entries({
    redis_version: '7.2.4',
    maxmemory_policy: 'noeviction',
    aof_enabled: 1,
    used_memory: 1000,
    maxmemory: 0,
    cluster_enabled: 0,
    ...fields,
  })
    .map(([key, value]) => `${key}:${value}`)
    .join('\r\n')}\r\n`;

describe('readRedisFacts', () => {
  it('has nothing to say against a Redis that keeps what it took', () => {
    expect(readRedisFacts(info({}))).toEqual({
      server: 'redis',
      version: '7.2.4',
      maxmemoryPolicy: 'noeviction',
      appendonly: true,
      usedBytes: 1000,
      maxBytes: 0,
      cluster: false,
      warnings: [],
    });
  });

  it.each([
    ['an eviction policy', { maxmemory_policy: 'allkeys-lru' }, 'allkeys-lru'],
    ['appendonly off', { aof_enabled: 0 }, 'appendonly'],
    ['a memory that is nearly full', { maxmemory: 1050 }, '95 %'],
    ['a version that is too old', { redis_version: '6.0.16' }, '6.2'],
  ])('G1: warns of %s', (_, fields, said) => {
    const { warnings } = readRedisFacts(info(fields));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(said);
  });

  it('does not take the Redis version that Valkey and Dragonfly report for their own', () => {
    expect(readRedisFacts(info({ redis_version: '6.0.0', valkey_version: '8.0.1' }))).toMatchObject({
      server: 'valkey',
      version: '8.0.1',
      warnings: [],
    });
    expect(
      readRedisFacts(info({ dragonfly_version: 'df-v1.2', maxmemory_policy: 'eviction', aof_enabled: 0 }))
        .warnings,
    ).toEqual([]);
  });

  it('reads anything without throwing', () => {
    expect(readRedisFacts('').version).toBe('unknown');
  });
});
