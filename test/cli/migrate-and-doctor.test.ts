import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { doctorCommand } from '../../src/cli/doctor-command.ts';
import { migrateCommand } from '../../src/cli/migrate-command.ts';
import { startRedis } from '../helpers/start-redis.ts';
import { freshDatabase, freshRedis, hasPostgres, redisUrl } from '../helpers/stores.ts';

let directory: string;
let config: string;
let said: string[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sense-doctor-'));
  // The user that Postgres runs as, where we are root, has to pass through.
  await chmod(directory, 0o755);
  const pack = join(import.meta.dirname, '..', '..', 'examples', 'packs', 'mail');
  config = join(directory, 'sense.yaml');
  await writeFile(config, `version: 1\ntenant: acme\npacks:\n  - dir: ${pack}\n`);
  vi.stubEnv('SENSE_HOME', join(directory, '.sense'));
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(() => {
  said = [];
  process.exitCode = 0;
  vi.spyOn(console, 'log').mockImplementation((line: string) => {
    said.push(line);
  });
  return () => {
    process.exitCode = 0;
  };
});

const doctor = async (...args: string[]) => {
  await doctorCommand().parseAsync(['-c', config, ...args], { from: 'user' });
  const exitCode = process.exitCode;
  process.exitCode = 0;
  return { exitCode, text: said.join('\n') };
};

describe.skipIf(!hasPostgres)('hcp-sense doctor', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  beforeAll(async () => {
    database = await freshDatabase();
    vi.stubEnv('DATABASE_URL', database.url);
  });
  afterAll(() => database.drop());

  test('G1: on Postgres with fsync off it warns loudly and answers no', async () => {
    vi.stubEnv('REDIS_URL', '');
    const { exitCode, text } = await doctor();
    expect(text).toMatch(/queue +postgres 1\d/);
    expect(text).toContain('WARNING   fsync is off');
    expect(exitCode).toBe(1);
  });

  test('the password of a store is not in what it says', async () => {
    vi.stubEnv('REDIS_URL', '');
    const { text } = await doctor('--json');
    expect(text).not.toContain(new URL(database.url).password);
    expect(JSON.parse(text)).toMatchObject({ ok: false, queue: { kind: 'postgres', reachable: true } });
  });

  test.skipIf(redisUrl === null)(
    'G1: on Redis without appendonly it says that a 2xx is worth a memory',
    async () => {
      vi.stubEnv('REDIS_URL', await freshRedis());
      const { exitCode, text } = await doctor();
      expect(text).toMatch(/queue +redis \d/);
      expect(text).toContain('it is in memory alone');
      expect(text).toContain('WARNING   appendonly is off');
      expect(exitCode).toBe(1);
    },
  );

  test.skipIf(redisUrl === null)(
    'G1: on Redis with appendonly it states what a crash of the machine may cost',
    async () => {
      const redis = await startRedis(['--appendonly', 'yes', '--appendfsync', 'everysec']);
      vi.stubEnv('REDIS_URL', redis.url);
      const { queue } = JSON.parse((await doctor('--json')).text);
      await redis.stop();
      expect(queue.survives).toContain('about the last second');
      expect(queue.warnings).toEqual([]);
      expect(queue.facts).toMatchObject({ appendfsync: 'everysec', maxmemoryPolicy: 'noeviction' });
    },
  );

  test('it warns of a source that its vendor would switch off for what we answer', async () => {
    vi.stubEnv('REDIS_URL', '');
    const paused = join(directory, 'paused.yaml');
    const source = 'id: gl, type: vendor, vendor: gitlab, pack: mail, paused: true, secrets: [ { env: GL } ]';
    const refs = 'refs: { issue.open: new_item }';
    await writeFile(paused, `${await readFile(config, 'utf8')}sources:\n  - { ${source}, ${refs} }\n`);
    const { exitCode, text } = await doctor('-c', paused);
    expect(text).toContain('WARNING   source gl: it is paused: every delivery is answered 503. GitLab.com');
    expect(exitCode).toBe(1);
  });

  test('a store that is away is named, and the other one is looked at all the same', async () => {
    vi.stubEnv('REDIS_URL', 'redis://127.0.0.1:1');
    const { exitCode, text } = await doctor('--json');
    expect(JSON.parse(text)).toMatchObject({
      queue: { reachable: false, code: 'QUEUE_UNREACHABLE' },
      database: { reachable: true },
    });
    expect(exitCode).toBe(1);
  });
});

describe('on the embedded Postgres', () => {
  test('migrate makes its tables and the queue’s, a second time finds nothing to do, and doctor is content', async () => {
    vi.stubEnv('DATABASE_URL', '');
    vi.stubEnv('REDIS_URL', '');
    const run = async () => {
      said = [];
      await migrateCommand().parseAsync(['-c', config, '--json'], { from: 'user' });
      return JSON.parse(said.join('\n'));
    };
    const first = await run();
    expect(first.applied.length).toBeGreaterThan(0);
    expect(first.queue_schema).toBe(true);
    expect(await run()).toEqual({ applied: [], queue_schema: true });

    said = [];
    const { exitCode, text } = await doctor();
    expect(text).toContain('it is on disk: it survives a crash of Postgres and of the machine');
    expect(text).not.toContain('WARNING');
    expect(exitCode).toBe(0);
  });
});

describe.skipIf(!hasPostgres)('hcp-sense migrate', () => {
  test('leaves a Postgres of its own for the queue with BullMQ’s schema', async () => {
    const database = await freshDatabase();
    const queue = await freshDatabase();
    const client = new Client({ connectionString: queue.url });
    await client.connect();
    await client.query('drop schema bullmq cascade');
    vi.stubEnv('DATABASE_URL', database.url);
    vi.stubEnv('REDIS_URL', queue.url);
    await migrateCommand().parseAsync(['-c', config], { from: 'user' });
    const { rows } = await client.query("select to_regclass('bullmq.migration') is not null as made");
    await client.end();
    await Promise.all([database.drop(), queue.drop()]);
    expect(rows).toEqual([{ made: true }]);
  });
});
