import { randomUUID } from 'node:crypto';
import type { TestProject } from 'vitest/node';
import { findLeftProcesses } from './find-left-processes.ts';
import { startRedis } from './start-redis.ts';
import { startRedisContainer } from './start-redis-container.ts';
import { startTestPostgres } from './start-test-postgres.ts';

export type StorePart = { url: string } | { reason: string };

declare module 'vitest' {
  interface ProvidedContext {
    postgres: StorePart;
    redis: StorePart;
  }
}

type Running = { url: string; stop(): Promise<void> };

const parts: Record<'postgres' | 'redis', Array<() => Promise<Running>>> = {
  postgres: [startTestPostgres],
  redis: [() => startRedis(), startRedisContainer],
};

const startFirstOf = async (starts: Array<() => Promise<Running>>): Promise<Running | { reason: string }> => {
  const reasons: string[] = [];
  for (const start of starts) {
    try {
      return await start();
    } catch (error) {
      reasons.push(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error));
    }
  }
  return { reason: reasons.join('; ') };
};

/** Once per run, in the main process: one Postgres and one Redis for all files, and a look for what they left behind. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  // Inherited by every process a test starts, so that one left behind can be told from other people's.
  const mark = randomUUID();
  process.env.SENSE_TEST_RUN = mark;
  const given = process.env.TEST_REDIS_URL;
  const [postgres, redis] = await Promise.all([
    startFirstOf(parts.postgres),
    given ? { url: given, stop: async () => undefined } : startFirstOf(parts.redis),
  ]);
  const started = { postgres, redis };
  const stop = async () => {
    for (const part of Object.values(started)) if ('stop' in part) await part.stop();
  };

  const required = (process.env.SENSE_REQUIRE ?? '').split(',').map((name) => name.trim());
  for (const [name, part] of Object.entries(started)) {
    if (!('reason' in part)) continue;
    console.error(`${name} can't be had, its suites are skipped: ${part.reason}`);
    if (required.includes(name)) {
      await stop();
      throw new Error(`SENSE_REQUIRE names ${name}, which can't be had: ${part.reason}`);
    }
  }
  project.provide('postgres', 'url' in postgres ? { url: postgres.url } : postgres);
  project.provide('redis', 'url' in redis ? { url: redis.url } : redis);

  return async () => {
    await stop();
    const left = await findLeftProcesses(mark);
    if (left.length === 0) return;
    for (const { pid } of left) process.kill(pid, 'SIGKILL');
    process.exitCode = 1;
    throw new Error(
      `tests left processes behind:\n${left.map(({ pid, command }) => `${pid} ${command}`).join('\n')}`,
    );
  };
}
