import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { findFreePort } from '../../src/embedded/find-free-port.ts';

const startWithinMs = 10_000;

/** Where `npm test` unpacks the distribution's package when there is no redis-server on PATH. */
const unpacked = join(import.meta.dirname, '..', '..', '..', 'node_modules', '.cache', 'redis');

const libraries = ['usr/lib', 'lib'].map((folder) =>
  join(unpacked, folder, `${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`),
);

const candidates = [
  { file: 'redis-server', env: process.env },
  {
    file: join(unpacked, 'usr', 'bin', 'redis-server'),
    env: { ...process.env, LD_LIBRARY_PATH: libraries.join(':') },
  },
];

export type RunningRedis = { url: string; pid: number; stop(): Promise<void> };

/** An empty redis-server of our own in a directory of its own. @throws where there is none to be had */
export const startRedis = async (settings: readonly string[]): Promise<RunningRedis> => {
  const dir = await mkdtemp(join(tmpdir(), 'sense-bench-redis-'));
  for (const { file, env } of candidates) {
    const port = await findFreePort();
    const child = spawn(
      file,
      [
        '--bind',
        '127.0.0.1',
        '--port',
        `${port}`,
        '--dir',
        dir,
        '--save',
        '',
        '--maxmemory-policy',
        'noeviction',
        ...settings,
      ],
      { env, stdio: 'ignore' },
    );
    const ended = new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
      child.once('error', () => resolve());
    });
    const url = `redis://127.0.0.1:${port}`;
    const end = (): void => {
      child.kill('SIGKILL');
    };
    if (!(await Promise.race([answers(url), ended.then(() => false)])) || child.pid === undefined) {
      end();
      continue;
    }
    process.once('exit', end);
    return {
      url,
      pid: child.pid,
      async stop() {
        process.removeListener('exit', end);
        if (child.exitCode === null && child.signalCode === null) {
          end();
          await once(child, 'exit');
        }
        await rm(dir, { recursive: true, force: true });
      },
    };
  }
  await rm(dir, { recursive: true, force: true });
  throw new Error('no redis-server: put one on PATH, or run npm test once, which unpacks one');
};

const answers = async (url: string): Promise<boolean> => {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => 30, maxRetriesPerRequest: null });
  redis.on('error', () => undefined);
  try {
    return await Promise.race([redis.ping().then(() => true), sleep(startWithinMs, false)]);
  } finally {
    redis.disconnect();
  }
};
