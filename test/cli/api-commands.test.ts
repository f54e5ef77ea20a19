import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { callApi } from '../../src/cli/call-api.ts';
import { deadLettersCommand } from '../../src/cli/dead-letters-command.ts';
import { drainInbox } from '../../src/cli/drain-inbox.ts';
import { dropsCommand } from '../../src/cli/drops-command.ts';
import { explainCommand } from '../../src/cli/explain-command.ts';
import { splitRecords } from '../../src/cli/split-records.ts';
import type { Announcement } from '../../src/domain/announcement.ts';
import { type SenseRecord, writeRecords } from '../../src/domain/record.ts';
import { startApi, type TestApi } from '../api/start-api.ts';
import { sampleAnnouncement } from '../helpers/samples.ts';
import { hasPostgres } from '../helpers/stores.ts';
import { runCommand } from './run-command.ts';

const root = join(import.meta.dirname, '..', '..');

test('G9: an answer is cut into the very characters of each record, whatever its payload', () => {
  const head = (id: string) => ({ record_id: id }) as SenseRecord['head'];
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.uuid(), fc.json())), fc.string(), (records, rest) => {
      const written = writeRecords(
        records.map(([id, data]) => ({ head: head(id), data })),
        { lease_id: rest },
      );
      expect(splitRecords(written)).toEqual(
        records.map(([id, data]) => ({ id, line: `{"record_id":"${id}","data":${data}}` })),
      );
    }),
  );
  const pretty = writeRecords([{ head: head('r'), data: '{\r\n  "a\\n": 9007199254740993\n}' }]);
  expect(splitRecords(pretty)[0]?.line).toBe('{"record_id":"r","data":{   "a\\n": 9007199254740993 }}');
});

describe.skipIf(!hasPostgres)('commands that call the API', () => {
  let dir: string;
  let api: TestApi;
  let config: string[];
  const replayed: Announcement[] = [];

  beforeEach(async () => {
    api = await startApi({
      replay: async (announcement) => {
        replayed.push(announcement);
      },
    });
    dir = await mkdtemp(join(tmpdir(), 'sense-cli-'));
    const file = join(dir, 'sense.yaml');
    await writeFile(
      file,
      `version: 1
tenant: acme
http: { port: ${new URL(api.url).port} }
packs: [ { dir: ${join(root, 'examples', 'packs', 'mail')} } ]
tokens:
  - { id: unset, role: admin, secret: { env: TEST_UNSET } }
  - { id: ops, role: admin, secret: { env: TEST_ADMIN } }
  - { id: agent, role: invoker, principals: [ "*" ], secret: { env: TEST_AGENT } }
`,
    );
    config = ['-c', file];
    vi.stubEnv('TEST_ADMIN', 'admin-secret');
    vi.stubEnv('TEST_AGENT', 'agent-secret');
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(dir, { recursive: true, force: true });
    await api.stop();
  });

  test('explain says what became of a delivery, and exits 1 where nothing is known', async () => {
    const announcement = sampleAnnouncement();
    await api.record(announcement);
    const known = await runCommand(explainCommand(), 'mail-hook', announcement.delivery, ...config);
    expect(known.exitCode).toBe(0);
    expect(known.out).toContain(`RECORDED  mail/new_item  event ${announcement.event}`);
    expect(known.out).toContain('rule     resolve-route');
    const json = await runCommand(explainCommand(), 'mail-hook', announcement.delivery, '--json', ...config);
    expect(JSON.parse(json.out).decisions).toHaveLength(1);
    const unknown = await runCommand(explainCommand(), 'mail-hook', 'never', ...config);
    expect(unknown).toEqual({ out: expect.stringContaining('Nothing is known'), exitCode: 1 });
  });

  test('drops shows what was dropped and why', async () => {
    const empty = await runCommand(dropsCommand(), ...config);
    expect(empty.out).toBe('nothing was dropped');
    await api.record(
      sampleAnnouncement({ ref: 'please_list' }),
      sampleAnnouncement({ accounts: ['no@example.com'] }),
    );
    const { out } = await runCommand(dropsCommand(), '--reason', 'ref_undeclared', ...config);
    expect(out).toContain('ref_undeclared  mail/please_list  mail-hook');
    expect(out).not.toContain('binding_unknown');
    await expect(runCommand(dropsCommand(), '--reason', 'nonsense', ...config)).rejects.toMatchObject({
      code: 'REQUEST_INVALID',
    });
  });

  test('dead-letters lists, and replays one', async () => {
    const { deadLetters } = await api.record(sampleAnnouncement({ data: '{' }));
    const id = deadLetters[0]?.id ?? '';
    expect((await runCommand(deadLettersCommand(), ...config)).out).toContain(id);
    const replay = await runCommand(deadLettersCommand(), 'replay', id, ...config);
    expect(replay.out).toBe(`${id} is in the queue again`);
    expect(replayed.at(-1)?.data).toBe('{');
    expect((await runCommand(deadLettersCommand(), ...config)).out).toBe('there are no dead letters');
    await expect(runCommand(deadLettersCommand(), 'replay', id, ...config)).rejects.toMatchObject({
      code: 'DEAD_LETTER_UNKNOWN',
      message: expect.stringMatching(
        /^There is no such dead letter\. [^.]+; one that was replayed is gone\.$/,
      ),
    });
  });

  test('a wrong token, a token that is nowhere, a server that is away and a stranger are told apart', async () => {
    const run = (...args: string[]) => runCommand(dropsCommand(), ...config, ...args);
    vi.stubEnv('TEST_ADMIN', 'something else');
    await expect(run()).rejects.toMatchObject({ code: 'TOKEN_INVALID' });
    vi.stubEnv('TEST_ADMIN', 'agent-secret');
    await expect(run()).rejects.toMatchObject({ code: 'ROLE_FORBIDDEN' });
    vi.stubEnv('TEST_ADMIN', '');
    await expect(run()).rejects.toMatchObject({
      code: 'SECRET_UNUSABLE',
      message: expect.stringContaining('TEST_UNSET is unset'),
    });
    vi.stubEnv('OTHER_TOKEN', 'admin-secret');
    expect((await run('--token-env', 'OTHER_TOKEN')).out).toBe('nothing was dropped');
    await expect(run('--token-env', 'OTHER_TOKEN', '--url', 'http://127.0.0.1:1')).rejects.toMatchObject({
      code: 'SERVER_UNREACHABLE',
    });
    // With both given no configuration is needed at all.
    const bare = await runCommand(dropsCommand(), '--token-env', 'OTHER_TOKEN', '--url', api.url);
    expect(bare.out).toBe('nothing was dropped');
    await expect(run('--token-env', 'OTHER_TOKEN', '--url', `${api.url}/docs`)).rejects.toMatchObject({
      code: expect.stringMatching(/ROUTE_UNKNOWN|SERVER_UNREACHABLE/),
    });
  });

  describe('drain', () => {
    const unacked = async () =>
      (
        await api.pool.query(
          'select count(*)::int as open, count(lease_id)::int as leased from sense.records where acked_at is null',
        )
      ).rows[0];
    const target = () => ({ url: api.url, token: 'agent-secret' });
    const drain = (over: Partial<Parameters<typeof drainInbox>[0]>) =>
      drainInbox({
        call: (path, body, signal) =>
          callApi(target(), 'POST', path, signal === undefined ? { body } : { body, signal }),
        write: async () => true,
        say: () => undefined,
        filter: {},
        follow: false,
        most: null,
        signal: new AbortController().signal,
        ...over,
      });

    test('what a reader that went away did not get is not acknowledged, and is there for the next one', async () => {
      await api.record(...Array.from({ length: 5 }, () => sampleAnnouncement()));
      const lines: string[] = [];
      const write = async (line: string) => lines.push(line) <= 2;
      expect(await drain({ write })).toBe(2);
      expect(await unacked()).toEqual({ open: 3, leased: 0 });
      expect(await drain({ write: async () => true })).toBe(3);
    });

    test('being told to stop ends between two lines: the rest is released', async () => {
      await api.record(...Array.from({ length: 5 }, () => sampleAnnouncement()));
      const stop = new AbortController();
      let lines = 0;
      const write = async () => {
        lines += 1;
        if (lines === 3) stop.abort();
        return true;
      };
      expect(await drain({ write, signal: stop.signal, follow: true })).toBe(3);
      expect(await unacked()).toEqual({ open: 2, leased: 0 });
    });

    test('--max takes no more than it writes', async () => {
      await api.record(...Array.from({ length: 5 }, () => sampleAnnouncement()));
      expect(await drain({ most: 2 })).toBe(2);
      expect(await unacked()).toEqual({ open: 3, leased: 0 });
    });

    test('a lease that ran out while it was written is said, and ends nothing', async () => {
      await api.record(sampleAnnouncement());
      const said: string[] = [];
      const write = async () => {
        await api.pool.query('update sense.records set lease_id = gen_random_uuid()');
        return true;
      };
      await drain({ write, say: (words) => said.push(words) });
      expect(said).toEqual([expect.stringContaining('may come again')]);
    });

    const start = (...args: string[]) => {
      const child = spawn(
        process.execPath,
        [join(root, 'dist', 'src', 'main.js'), 'drain', ...config, ...args],
        { env: { ...process.env, TEST_AGENT: 'agent-secret' } },
      );
      const seen = { out: '', err: '' };
      child.stdout.on('data', (chunk) => {
        seen.out += chunk;
      });
      child.stderr.on('data', (chunk) => {
        seen.err += chunk;
      });
      const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
        child.on('close', (code, signal) => resolve({ code, signal }));
      });
      return { child, seen, ended };
    };

    test('G9: the real process writes one line a record, verbatim, acknowledges and ends', async () => {
      const data = '{"id":9007199254740993,"a":1,"a":2,"nul":"\\u0000","lone":"\\ud800"}';
      await api.record(sampleAnnouncement({ data }), sampleAnnouncement({ data: '{\n}' }));
      const { seen, ended } = start();
      expect(await ended).toEqual({ code: 0, signal: null });
      const lines = seen.out.trimEnd().split('\n');
      expect(lines).toHaveLength(2);
      expect(lines[0]).toContain(`,"data":${data}}`);
      expect(await unacked()).toEqual({ open: 0, leased: 0 });
      const empty = start();
      expect(await empty.ended).toEqual({ code: 0, signal: null });
      expect(empty.seen).toEqual({ out: '', err: 'hcp-sense: the inbox is empty\n' });
    });

    test('--follow writes what comes, and Ctrl-C ends it with nothing left leased', async () => {
      const { child, seen, ended } = start('--follow');
      await api.record(sampleAnnouncement());
      await expect.poll(() => seen.out.split('\n').length, { timeout: 20_000 }).toBe(2);
      await api.record(sampleAnnouncement());
      await expect.poll(() => seen.out.split('\n').length, { timeout: 20_000 }).toBe(3);
      await expect.poll(unacked, { timeout: 20_000 }).toEqual({ open: 0, leased: 0 });
      child.kill('SIGINT');
      expect(await ended).toEqual({ code: 0, signal: null });
      await api.record(sampleAnnouncement());
      expect((await api.lease()).json().records).toHaveLength(1);
    });

    test('a reader that closed its end is no crash: the record goes back', async () => {
      const { child, seen, ended } = start('--follow');
      child.stdout.destroy();
      await api.record(sampleAnnouncement({ data: JSON.stringify('x'.repeat(200_000)) }));
      expect(await ended).toEqual({ code: 0, signal: null });
      expect(seen.err).toBe('');
      expect(await unacked()).toEqual({ open: 1, leased: 0 });
    });
  });
});
