import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { attachEmbeddedPostgres } from '../../src/embedded/attach-embedded-postgres.ts';
import { choosePostgresOwner } from '../../src/embedded/choose-postgres-owner.ts';
import { describeProcess } from '../../src/embedded/describe-process.ts';
import { openEmbeddedPostgres } from '../../src/embedded/open-embedded-postgres.ts';
import { runAsOwner } from '../../src/embedded/run-as-owner.ts';
import { startEmbeddedPostgres } from '../../src/embedded/start-embedded-postgres.ts';

const log = pino({ level: 'silent' });
const isRoot = process.getuid?.() === 0;
const runner = join(import.meta.dirname, '..', 'helpers', 'run-embedded.mjs');
const nobody = { name: 'nobody', uid: 65_534, gid: 65_534 };
const nobodyMayRead = isRoot && (await runAsOwner(nobody, 'test', ['-r', runner])).code === 0;

type Told = { url: string; dataDir: string; movedBecause: string | null; error?: string };

let root: string;
let home: string;
let dir: string;
let spareRoot: string;
let children: ChildProcess[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'sense-home-'));
  await chmod(root, 0o755);
  home = join(root, 'home');
  dir = join(home, 'postgres');
  spareRoot = join(root, 'spare');
  children = [];
});
afterEach(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGCONT');
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
  // A Postgres that had to be killed leaves processes that end a moment after it.
  await rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
});

const query = async (url: string, text: string) => {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
};
const runChild = async (as?: { uid: number; gid: number }): Promise<{ child: ChildProcess; told: Told }> => {
  const child = spawn(process.execPath, [runner, dir, spareRoot], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...as,
  });
  children.push(child);
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, told: JSON.parse(String(line)) };
};
const postmaster = async (dataDir: string) =>
  Number.parseInt(await readFile(join(dataDir, 'postmaster.pid'), 'utf8'), 10);
const startHere = () => startEmbeddedPostgres({ dir, log, spareRoot });

describe('the embedded Postgres', () => {
  test('keeps its data over a stop and a start, on 127.0.0.1 only, with fsync on and the password to ourselves', async () => {
    const first = await startHere();
    await query(first.url, 'create table kept as select 7 as n');
    expect(new URL(first.url).hostname).toBe('127.0.0.1');
    const [settings] = await query(
      first.url,
      "select current_setting('fsync') as fsync, current_setting('synchronous_commit') as commit, current_setting('listen_addresses') as addresses, current_setting('server_encoding') as encoding",
    );
    expect(settings).toEqual({ fsync: 'on', commit: 'on', addresses: '127.0.0.1', encoding: 'UTF8' });
    expect((await stat(join(home, 'postgres.json'))).mode & 0o777).toBe(0o600);
    const wrong = new URL(first.url);
    wrong.password = 'guess';
    await expect(query(wrong.href, 'select 1')).rejects.toThrow(/password/);
    const pid = await postmaster(first.dataDir);
    await first.stop();
    expect(await describeProcess(pid)).toBeNull();
    expect(await attachEmbeddedPostgres({ dir })).toBeNull();

    const second = await startHere();
    expect(await query(second.url, 'select n from kept')).toEqual([{ n: 7 }]);
    expect(second.dataDir).toBe(dir);
    await second.stop();
  });

  test('a process that is killed leaves no Postgres behind, and the next start finds what was committed', async () => {
    const { child, told } = await runChild();
    await query(told.url, 'create table kept as select 7 as n');
    const pid = await postmaster(told.dataDir);
    child.kill('SIGKILL');
    await expect.poll(() => describeProcess(pid), { timeout: 10_000 }).toBeNull();

    const next = await startHere();
    expect(await query(next.url, 'select n from kept')).toEqual([{ n: 7 }]);
    await next.stop();
  });

  test('a start right after a kill waits for the server that is still stopping', async () => {
    const { child, told } = await runChild();
    await query(told.url, 'create table kept as select 7 as n');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const next = await openEmbeddedPostgres({ dir, log, spareRoot });
    expect(await query(next.url, 'select n from kept')).toEqual([{ n: 7 }]);
    await next.stop();
  });

  test('a start after everything was killed at once, Postgres too, recovers', async () => {
    const { child, told } = await runChild();
    await query(told.url, 'create table kept as select 7 as n');
    process.kill(await postmaster(told.dataDir), 'SIGKILL');
    child.kill('SIGKILL');
    await once(child, 'exit');
    const next = await startHere();
    expect(await query(next.url, 'select n from kept')).toEqual([{ n: 7 }]);
    await next.stop();
  });

  test("a lock file whose process id is somebody else's by now does not stop a start", async () => {
    const first = await startHere();
    await first.stop();
    const owner = await choosePostgresOwner();
    // What a restarted container finds: the id in the file lives, as the same user, and is no Postgres.
    const stranger = spawn('sleep', ['60'], {
      stdio: 'ignore',
      cwd: '/',
      ...(owner && { uid: owner.uid, gid: owner.gid }),
    });
    const lockFile = join(first.dataDir, 'postmaster.pid');
    await writeFile(lockFile, `${stranger.pid}\n${first.dataDir}\n1700000000\n5432\n\n127.0.0.1\n`, {
      mode: 0o600,
    });
    if (owner) await chown(lockFile, owner.uid, owner.gid);
    try {
      const second = await startHere();
      expect(await query(second.url, 'select 1 as one')).toEqual([{ one: 1 }]);
      await second.stop();
      expect(stranger.exitCode ?? stranger.signalCode).toBeNull();
    } finally {
      stranger.kill('SIGKILL');
      await once(stranger, 'exit');
    }
  });

  test('while one process runs it, another start is refused, a command attaches, and neither disturbs the first', async () => {
    const { told } = await runChild();
    await expect(startHere()).rejects.toMatchObject({ code: 'EMBEDDED_POSTGRES_FAILED' });
    const attached = await openEmbeddedPostgres({ dir, log, spareRoot });
    expect(attached.url).toBe(told.url);
    await attached.stop();
    expect(await query(told.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('of two processes that open a new home at once, one starts it and both use it', async () => {
    const [one, two] = await Promise.all([runChild(), runChild()]);
    expect(one.told.error).toBeUndefined();
    expect(two.told.url).toBe(one.told.url);
    expect(await query(one.told.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('a Ctrl-C in our terminal does not reach it: it is in a session of its own', async () => {
    const { told } = await runChild();
    const pid = await postmaster(told.dataDir);
    const sessionOf = async (of: number) => {
      const text = await readFile(`/proc/${of}/stat`, 'latin1');
      return text.slice(text.lastIndexOf(')') + 2).split(' ')[3];
    };
    expect(await sessionOf(pid)).not.toBe(await sessionOf(process.pid));
  });

  test('a stopped (SIGSTOP) process keeps its Postgres, and another start does not take it away', async () => {
    const { child, told } = await runChild();
    child.kill('SIGSTOP');
    await expect(startHere()).rejects.toMatchObject({ code: 'EMBEDDED_POSTGRES_FAILED' });
    expect(await query(told.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('a directory that is no cluster of ours is left alone and named', async () => {
    await mkdir(join(home, 'postgres'), { recursive: true });
    await writeFile(join(home, 'postgres', 'mine.txt'), 'mine');
    await expect(startHere()).rejects.toThrow(join(home, 'postgres'));
    expect(await readFile(join(home, 'postgres', 'mine.txt'), 'utf8')).toBe('mine');
  });
});

describe.skipIf(!isRoot)('the embedded Postgres, started by root', () => {
  test('under a directory that other users cannot enter its data live elsewhere, and it says where and why', async () => {
    await chmod(root, 0o700);
    spareRoot = await mkdtemp(join(tmpdir(), 'sense-spare-'));
    await chmod(spareRoot, 0o755);
    try {
      const first = await startHere();
      expect(first.dataDir.startsWith(`${spareRoot}/`)).toBe(true);
      expect(first.movedBecause).toContain(first.dataDir);
      await query(first.url, 'create table kept as select 7 as n');
      await first.stop();
      const second = await startHere();
      expect(second.dataDir).toBe(first.dataDir);
      expect(await query(second.url, 'select n from kept')).toEqual([{ n: 7 }]);
      await second.stop();
    } finally {
      await rm(spareRoot, { recursive: true, force: true });
    }
  });

  test.skipIf(!nobodyMayRead)('works for an ordinary user, and then for root on the same data', async () => {
    await mkdir(home);
    await chown(home, nobody.uid, nobody.gid);
    const { child, told } = await runChild({ uid: nobody.uid, gid: nobody.gid });
    expect(told.error).toBeUndefined();
    expect(told.dataDir).toBe(dir);
    expect((await stat(told.dataDir)).uid).toBe(nobody.uid);
    await query(told.url, 'create table kept as select 7 as n');
    child.kill('SIGTERM');
    await once(child, 'exit');

    const asRoot = await startHere();
    expect(await query(asRoot.url, 'select n from kept')).toEqual([{ n: 7 }]);
    await asRoot.stop();
  });

  test.skipIf(!nobodyMayRead)('an ordinary user is told when root made what lies there', async () => {
    const first = await startHere();
    await first.stop();
    await chown(home, nobody.uid, nobody.gid);
    const { told } = await runChild({ uid: nobody.uid, gid: nobody.gid });
    expect(told.error).toContain('another user');
  });
});
