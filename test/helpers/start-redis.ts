import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { findFreePort } from '../../src/embedded/find-free-port.ts';
import { findRedisServer } from './find-redis-server.ts';

export type StartedRedis = {
  url: string;
  /** The server's process: a test may stop (SIGSTOP), continue or kill it. */
  process: () => ChildProcess;
  /** Starts it again on the same port and directory after it was killed. */
  restart(): Promise<void>;
  stop(): Promise<void>;
};

/** A redis-server of the caller's own on a random port. `args` are added last, so they win (`--appendonly`, `yes`). */
export const startRedis = async (args: readonly string[] = []): Promise<StartedRedis> => {
  const { file, env } = await findRedisServer();
  const directory = await mkdtemp(join(tmpdir(), 'sense-redis-'));
  let port = await findFreePort();
  let child = await launch();

  async function launch(): Promise<ChildProcess> {
    for (let attempt = 0; ; attempt += 1) {
      const started = spawn(
        file,
        [
          ...['--bind', '127.0.0.1', '--port', String(port), '--dir', directory],
          ...['--save', '', '--appendonly', 'no', '--maxmemory-policy', 'noeviction', '--databases', '4096'],
          ...args,
        ],
        { env, stdio: ['ignore', 'pipe', 'inherit'] },
      );
      let said = '';
      started.stdout.on('data', (chunk: Buffer) => {
        said = (said + chunk.toString()).slice(-4096);
      });
      started.on('error', (error) => {
        said += error.message;
      });
      if (await becomesReady(started, port)) return started;
      if (attempt === 3) throw new Error(`redis-server did not start: ${said}`);
      port = await findFreePort();
    }
  }

  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGCONT');
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  };
  return {
    url: `redis://127.0.0.1:${port}`,
    process: () => child,
    async restart() {
      await stop();
      child = await launch();
    },
    async stop() {
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
};

const becomesReady = async (server: ChildProcess, port: number): Promise<boolean> => {
  const client = new Redis({
    host: '127.0.0.1',
    port,
    lazyConnect: true,
    retryStrategy: () => 30,
    maxRetriesPerRequest: null,
  });
  client.on('error', () => undefined);
  const ended = server.exitCode === null ? once(server, 'exit').then(() => false) : Promise.resolve(false);
  try {
    return await Promise.race([client.ping().then(() => true), ended, sleep(10_000, false, { ref: false })]);
  } finally {
    client.disconnect();
  }
};
