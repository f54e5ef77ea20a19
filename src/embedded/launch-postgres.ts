import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CodedError } from '../domain/errors.ts';
import { answersAt } from './answers-at.ts';
import type { PostgresOwner } from './choose-postgres-owner.ts';
import { describeProcess } from './describe-process.ts';

const readyWithinMs = 60_000;
const fastStopMs = 5_000;
const immediateStopMs = 2_000;

/**
 * The keeper: a shell between us and Postgres that holds our pipe. When the pipe ends, because we asked or because we
 * are gone in whatever way (SIGKILL included), it asks Postgres for a fast shutdown. `<&3`, because a shell gives its
 * background commands /dev/null to read. The first line out is the id of the postmaster.
 */
const keeper = `
exec 3<&0
"$@" </dev/null 3<&- >&2 & postgres=$!
echo $postgres
exec >&-
(read -r end <&3; kill -INT $postgres 2>/dev/null) 2>/dev/null & watcher=$!
exec 3<&-
wait $postgres; code=$?
kill $watcher 2>/dev/null
exit $code
`;

export type RunningPostgres = {
  /** Process id of the postmaster. */
  pid: number;
  /** Resolves when Postgres has ended, asked for or not. */
  ended: Promise<void>;
  /** Fast shutdown; immediate if that takes more than five seconds. Resolves when the process is gone. */
  stop(): Promise<void>;
};

/**
 * Starts Postgres on a cluster and waits until it answers at `url`. It is in a session of its own, so that a Ctrl-C in
 * our terminal reaches us alone and our workers drain before their store goes.
 *
 * @throws EMBEDDED_POSTGRES_FAILED with what Postgres said
 */
export const launchPostgres = async (launch: {
  nativeDir: string;
  dataDir: string;
  owner: PostgresOwner | null;
  url: string;
  settings: Readonly<Record<string, string>>;
}): Promise<RunningPostgres> => {
  const settings = Object.entries({
    listen_addresses: '127.0.0.1',
    port: new URL(launch.url).port,
    unix_socket_directories: '',
    ...launch.settings,
  }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawn(
    '/bin/sh',
    [
      '-c',
      keeper,
      'hcp-sense-postgres',
      join(launch.nativeDir, 'bin', 'postgres'),
      '-D',
      launch.dataDir,
      ...settings,
    ],
    {
      cwd: '/',
      // Not ours: our environment holds secrets, and Postgres may be another user's process.
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      ...(launch.owner && { uid: launch.owner.uid, gid: launch.owner.gid }),
    },
  );
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4096);
  });
  // A pipe whose reader died is told by `exit`; without a listener it would end our process.
  child.stdin.on('error', () => undefined);
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      hasEnded = true;
      resolve();
    };
    child.on('exit', end);
    child.on('error', (error) => {
      said = error.message;
      end();
    });
  });

  // Not `ended` alone: that is the keeper's end, which Postgres outlives where somebody killed the keeper.
  const gone = async (pid: number) => {
    await ended;
    while ((await describeProcess(pid)) !== null) await sleep(50);
  };
  const signal = (pid: number, name: NodeJS.Signals) => {
    try {
      process.kill(pid, name);
    } catch {
      // it ended in between
    }
  };
  const stopBy = async (pid: number) => {
    child.stdin.end();
    if (await within(gone(pid), fastStopMs)) return;
    signal(pid, 'SIGQUIT');
    if (await within(gone(pid), immediateStopMs)) return;
    signal(pid, 'SIGKILL');
    await ended;
  };

  const firstLine = await Promise.race([
    once(child.stdout, 'data').then(([chunk]: Buffer[]) => String(chunk)),
    ended.then(() => ''),
  ]);
  const pid = Number.parseInt(firstLine, 10);
  const deadline = Date.now() + readyWithinMs;
  while (!(await answersAt(launch.url))) {
    if (hasEnded || Date.now() > deadline) {
      if (!hasEnded) await stopBy(pid);
      throw new CodedError('EMBEDDED_POSTGRES_FAILED', `Postgres did not start; it said: ${said.trim()}`);
    }
    await Promise.race([ended, sleep(40)]);
  }
  // A caller that forgets to stop must still be able to end; the keeper sees to Postgres then.
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr])
    if ('unref' in stream) (stream.unref as () => void)();
  return { pid, ended, stop: () => stopBy(pid) };
};

const within = (done: Promise<void>, ms: number): Promise<boolean> => {
  const late = new AbortController();
  return Promise.race([
    done.then(() => true),
    sleep(ms, false, { signal: late.signal }).catch(() => false),
  ]).finally(() => late.abort());
};
