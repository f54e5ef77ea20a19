import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isAlive } from '../../src/embedded/is-alive.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { startSource } from './start-source.ts';

/** Stays alive after what it does, so that one run is one run. */
const stay = 'setInterval(() => {}, 1000);';
const line = (id: string, more = '') => `{"ref":"file.changed","id":"${id}"${more}}`;
const write = (text: string) => `process.stdout.write(${JSON.stringify(text)});`;
const ids = (source: { taken: readonly { event: string }[] }) => source.taken.map(({ event }) => event);
const good = (source: { taken: readonly { event: string; refusal?: unknown }[] }) =>
  source.taken.filter(({ refusal }) => refusal === undefined).map(({ event }) => event);

describe('what a pack process writes', () => {
  test('S21 G9: CRLF, BOM, blank lines and arrays are read; data is the very characters; an id for each line', async () => {
    const data = '{"big":9007199254740993,"a":1,"a":2,"nul":"\\u0000","half":"\\ud800"}';
    const source = await startSource({
      script: `${write(`\uFEFF${line('a', `,"data":${data}`)}\r\n\r\n   \n\t\n[${line('b')},${line('c')}]\n`)}${stay}`,
    });
    await waitFor('three announcements', () => source.taken.length === 3);
    expect(ids(source)).toEqual(['a', 'b', 'c']);
    expect(source.taken[0]).toMatchObject({ source: source.id, pack: 'watcher', binding: 'bnd_ws', data });
    const [first, second, third] = source.taken.map(({ delivery }) => delivery);
    expect(first).toMatch(new RegExp(`^${source.id}-[0-9a-f]{10}-1$`));
    expect(second).toBe(first?.replace(/1$/, '5'));
    expect(third).toBe(second);
    expect(source.facts).toEqual([
      { source: source.id, status: 202, code: null },
      { source: source.id, status: 202, code: null },
    ]);
  });

  test('S21: a character cut by a pause arrives whole; a last line without its end counts when the process ends', async () => {
    const text = line('ü€😀', ',"data":"😀"');
    const source = await startSource({
      script: `const b = Buffer.from(${JSON.stringify(text)});
        let at = 0; const next = () => { if (at < b.length) { process.stdout.write(b.subarray(at, at + 3)); at += 3; setTimeout(next, 5); } };
        next();`,
      delayMs: () => 60_000,
    });
    await waitFor('the line', () => source.taken.length === 1);
    expect(source.taken[0]).toMatchObject({ event: 'ü€😀', data: '"😀"' });
  });

  test('S21 G2 G6: bad lines are counted, logged and explained by their delivery id, without a word of what they held; the good ones live', async () => {
    const bad = [
      'TOP-SECRET not json',
      '{"ref":"file.changed"}',
      '{"ref":"file.changed","id":"x","TOP-SECRET":1}',
      '"TOP-SECRET"',
      `{"ref":"file.changed","id":"x","data":${'['.repeat(150)}${']'.repeat(150)}}`,
      `{"ref":"file.changed","id":"x","data":"${'TOP-SECRET'.repeat(300)}"}`,
    ];
    const source = await startSource({
      maxLine: 2048,
      script: `${bad.map((text, index) => write(`${text}\n${line(`good-${index}`)}\n`)).join('')}
        process.stdout.write(Buffer.from([0xff, 0xfe, 0x0a])); ${write(`${line('last')}\n`)}${stay}`,
    });
    await waitFor('the last line', () => good(source).includes('last'));
    expect(good(source)).toEqual([...bad.map((_, index) => `good-${index}`), 'last']);
    const refused = source.taken.filter(({ refusal }) => refusal !== undefined);
    expect(refused.map(({ refusal }) => refusal?.reason)).toEqual(Array(7).fill('announcement_invalid'));
    expect(new Set(refused.map(({ delivery }) => delivery)).size).toBe(7);
    expect(refused.map(({ data }) => data)).toEqual(Array(7).fill('null'));
    expect(refused[0]?.refusal?.detail).toMatch(/^Line 1 of run [0-9a-f]{10}: The body is not JSON$/);
    expect(refused[5]?.refusal?.detail).toContain('longer than 2048 bytes');
    expect(source.facts.filter(({ status }) => status === 400).map(({ code }) => code)).toEqual([
      'BODY_MALFORMED',
      'ANNOUNCEMENT_INVALID',
      'ANNOUNCEMENT_INVALID',
      'ANNOUNCEMENT_INVALID',
      'BODY_TOO_DEEP',
      'BODY_TOO_LARGE',
      'BODY_MALFORMED',
    ]);
    expect(source.said('line.refused')).toHaveLength(7);
    expect(JSON.stringify([source.logs, refused])).not.toContain('TOP-SECRET');
  });

  test('S21: a flood of bad lines is counted one by one, but logged and explained in a bounded number', async () => {
    const source = await startSource({
      script: `${write('garbage\n'.repeat(5000))}${write(`${line('after')}\n`)}${stay}`,
    });
    await waitFor('the good line', () => good(source).includes('after'));
    expect(source.facts.filter(({ status }) => status === 400)).toHaveLength(5000);
    expect(source.said('line.refused').length).toBeLessThan(200);
    expect(source.taken.length).toBeLessThan(200);
  });

  test('S19 G6: a path out of the workspace over a link is refused without its payload', async () => {
    const source = await startSource({
      script: `require('fs').symlinkSync('/etc', 'out');${write(
        `${line('in', ',"data":{"path":"notes.md"}')}\n${line('out', ',"data":{"path":"out/passwd","x":"private"}')}\n`,
      )}${stay}`,
    });
    await waitFor('both', () => source.taken.length === 2);
    expect(source.taken[0]).not.toHaveProperty('refusal');
    expect(source.taken[0]?.workspace).toBe(source.dir);
    expect(source.taken[1]).toMatchObject({ data: 'null', refusal: { reason: 'workspace_outside' } });
  });

  test('S21: what it says on stderr is in our log, bounded in length and number, and never stops it', async () => {
    const source = await startSource({
      script: `process.stderr.write('x'.repeat(1e6) + '\\n'); for (let n = 0; n < 20000; n += 1) process.stderr.write('line ' + n + '\\n');
        ${write(`${line('done')}\n`)}`,
      delayMs: () => 60_000,
    });
    await waitFor('the line', () => good(source).includes('done'));
    await waitFor('the sum', () => source.said('process.said_too_much').length > 0);
    const said = source.said('process.said');
    expect(said.length).toBeGreaterThan(10);
    expect(said.length).toBeLessThan(200);
    expect(said[0]).toMatchObject({ cut: true, said: expect.stringMatching(/^x{2048}$/) });
    expect(Number(source.said('process.said_too_much')[0]?.unsaid)).toBeGreaterThan(19_000);
  });
});

describe('how it is started', () => {
  test('S21 G7: without a shell, with only the environment that is named, in its workspace, with an ended stdin, in a group of its own', async () => {
    const script = `let input = 'open'; process.stdin.on('end', () => { input = 'ended'; tell(); }); process.stdin.resume();
      const tell = () => console.log(JSON.stringify({ ref: 'file.changed', id: 'x', data: {
        env: process.env, cwd: process.cwd(), argv: process.argv.slice(1), input, pid: process.pid } }));
      ${stay}`;
    process.env.SENSE_TEST_SECRET = 'ours';
    onTestFinished(() => {
      delete process.env.SENSE_TEST_SECRET;
    });
    const words = ['$HOME', '; touch /tmp/never', '`id`', '*', ''];
    const source = await startSource({
      command: [process.execPath, '-e', script, ...words],
      env: { GIVEN: 'a b\nc' },
    });
    await waitFor('its report', () => source.taken.length === 1);
    const report = JSON.parse(source.taken[0]?.data ?? '');
    expect(report).toMatchObject({ cwd: source.dir, argv: words, input: 'ended' });
    expect(Object.keys(report.env).toSorted()).toEqual(['GIVEN', 'SENSE_TEST_RUN']);
    expect(report.env.GIVEN).toBe('a b\nc');
    const stat = await readFile(`/proc/${report.pid}/stat`, 'utf8');
    const [, parent, group, session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    expect([Number(parent), Number(group), Number(session)]).toEqual([process.pid, report.pid, report.pid]);
  });

  test('a plain name is found in our PATH, and paths are taken from the directory of the configuration', async () => {
    const source = await startSource({ command: ['node', 'pack/emit.mjs'], delayMs: () => 50 });
    await waitFor('it fails', () => source.state().bad_runs > 0);
    await mkdir(join(source.dir, 'pack'));
    await writeFile(join(source.dir, 'pack', 'emit.mjs'), `${write(`${line('found')}\n`)}${stay}`);
    await waitFor('the line', () => ids(source).includes('found'));
  });

  test.each([
    ['a program that is not there', ['nowhere-to-be-found'], /the program nowhere-to-be-found is not there/],
    ['a file that is no program', ['/etc/passwd'], /may not be run/],
  ])('S35: %s is said, and tried again', async (_, command, why) => {
    const source = await startSource({ command });
    await waitFor('a second try', () => source.state().bad_runs >= 2);
    expect(source.state().last_end).toMatch(why);
    expect(source.said('process.ended')[0]?.why).toMatch(why);
  });
});

describe('back-pressure', () => {
  test('G1: while the queue takes nothing the process waits, nothing is lost, doubled or out of order', async () => {
    let open = false;
    const total = 30_000;
    const source = await startSource({
      // Written synchronously, so that a full pipe blocks it; it tells how far it came in a file.
      script: `const fs = require('fs'); const pad = 'x'.repeat(100);
        const put = (text) => { let b = Buffer.from(text); while (b.length > 0) { try { b = b.subarray(fs.writeSync(1, b)); } catch (e) { if (e.code !== 'EAGAIN') throw e; } } };
        for (let n = 0; n < ${total}; n += 1) { put(JSON.stringify({ ref: 'file.changed', id: 'n' + n, data: pad }) + '\\n'); if (n % 100 === 0) fs.writeFileSync('progress', String(n)); }
        fs.writeFileSync('progress', 'done');${stay}`,
      enqueue: async () => {
        if (!open) throw new Error('QUEUE_FULL');
      },
    });
    const progress = () => readFile(join(source.dir, 'progress'), 'utf8').catch(() => '');
    let before = '';
    await waitFor('it has come to a halt', async () => {
      const now = await progress();
      const halted = now !== '' && now === before;
      before = now;
      await sleep(200);
      return halted;
    });
    expect(Number(before)).toBeLessThan(total / 2);
    expect(source.taken).toEqual([]);
    open = true;
    await waitFor('all of it', () => source.taken.length === total);
    expect(ids(source)).toEqual(Array.from({ length: total }, (_, n) => `n${n}`));
    expect(await waitFor('its end', progress)).toBe('done');
  });

  test('G1: what is in the pipe when the process ends is taken before the next one starts, however long the queue is away', async () => {
    let open = false;
    const source = await startSource({
      script: `${write(Array.from({ length: 500 }, (_, n) => `${line(`t${n}`)}\n`).join(''))}process.exitCode = 3;`,
      enqueue: async () => {
        if (!open) throw new Error('QUEUE_UNAVAILABLE');
      },
      delayMs: () => 60_000,
    });
    await waitFor('it has ended', () => {
      const { pid } = source.state();
      return pid !== null && !isAlive(pid);
    });
    await sleep(500);
    expect(source.state()).toMatchObject({ starts: 1, state: 'running' });
    open = true;
    await waitFor('all of it', () => source.state().state === 'restarting');
    expect(ids(source)).toEqual(Array.from({ length: 500 }, (_, n) => `t${n}`));
    expect(source.state()).toMatchObject({ last_end: 'exit code 3', bad_runs: 1 });
  });
});

describe('how it ends', () => {
  test('a loop of crashes is told once, goes on, and a good run ends it', async () => {
    const source = await startSource({
      script: `const fs = require('fs'); fs.appendFileSync('runs', 'x');
        if (fs.readFileSync('runs', 'utf8').length < 8) process.exit(1); ${stay}`,
      times: { goodRunMs: 400 },
    });
    await waitFor('a loop', () => source.state().state === 'looping');
    await waitFor('the eighth run', () => source.state().starts === 8);
    await waitFor('it is well', () => source.state().state === 'running');
    expect(source.state()).toMatchObject({ bad_runs: 0, last_end: 'exit code 1' });
    expect(source.said('process.looping')).toHaveLength(1);
    expect(source.said('process.looping')[0]).toMatchObject({ level: 50, badRuns: 5 });
    expect(source.said('process.ended')).toHaveLength(6);
  });

  test('stop: TERM to the whole group, what it still says is taken, and nothing is left', async () => {
    const source = await startSource({
      script: `const { spawn } = require('child_process');
        const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: ['ignore', 'inherit', 'inherit'] });
        process.on('SIGTERM', () => { ${write(`${line('goodbye')}\n`)} process.exit(0); });
        process.stdout.write(JSON.stringify({ ref: 'file.changed', id: 'hello', data: [process.pid, child.pid] }) + '\\n');${stay}`,
    });
    await waitFor('hello', () => source.taken.length === 1);
    const pids: number[] = JSON.parse(source.taken[0]?.data ?? '[]');
    expect(pids.map(isAlive)).toEqual([true, true]);
    await source.close();
    expect(ids(source)).toEqual(['hello', 'goodbye']);
    expect(pids.map(isAlive)).toEqual([false, false]);
    expect(source.state().state).toBe('stopped');
  });

  test('stop: what ignores TERM is killed', async () => {
    const source = await startSource({
      script: `process.on('SIGTERM', () => {}); ${write(`${line('up')}\n`)}${stay}`,
      times: { graceMs: 300 },
    });
    await waitFor('it is up', () => source.taken.length === 1);
    const { pid } = source.state();
    await source.close();
    expect(isAlive(pid ?? 0)).toBe(false);
    expect(source.state().last_end).toBe('signal SIGKILL');
  });

  test('a grandchild that holds the pipe does not hold us, in our group or in its own', async () => {
    const source = await startSource({
      script: `const { spawn } = require('child_process');
        const start = (detached) => spawn('sleep', ['30'], { stdio: ['ignore', 'inherit', 'ignore'], detached }).pid;
        const pids = [start(false), start(true)];
        process.stdout.write(JSON.stringify({ ref: 'file.changed', id: 'x', data: pids }) + '\\n', () => process.exit(0));`,
      delayMs: () => 60_000,
    });
    await waitFor('it is over', () => source.state().state === 'restarting');
    const [inGroup = 0, escaped = 0]: number[] = JSON.parse(source.taken[0]?.data ?? '[]');
    onTestFinished(() => {
      process.kill(escaped, 'SIGKILL');
    });
    expect(isAlive(inGroup)).toBe(false);
    expect(source.state()).toMatchObject({ last_end: 'exit code 0', pid: null });
    await source.close();
  });

  test('a queue that stays away does not hold a stop for ever, and what is lost is said', async () => {
    const source = await startSource({
      script: `${write(`${line('a')}\n${line('b')}\n`)}${stay}`,
      enqueue: async () => {
        throw new Error('QUEUE_UNAVAILABLE');
      },
      times: { graceMs: 100 },
    });
    await waitFor('it runs', () => source.state().pid !== null);
    await sleep(300);
    await source.close();
    expect(source.said('process.lines_lost')).toMatchObject([{ lines: 2 }]);
  });

  test('a keeper that is killed is replaced, and the process lives on', async () => {
    const source = await startSource({ script: `${write(`${line('up')}\n`)}${stay}` });
    await waitFor('it is up', () => source.taken.length === 1);
    const keeperOf = async () => {
      for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
        const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
        const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
        if (command.includes('hcp-sense-keeper') && stat.includes(`) S ${process.pid} `)) return Number(pid);
      }
      return null;
    };
    const first = await waitFor('a keeper', keeperOf);
    process.kill(first, 'SIGKILL');
    const second = await waitFor('another keeper', async () => {
      const now = await keeperOf();
      return now !== first && now;
    });
    expect(isAlive(second)).toBe(true);
    expect(source.state()).toMatchObject({ state: 'running', starts: 1 });
  });
});

describe('once in a deployment', () => {
  test('waits while another holds the lock, and ends its process when another took it', async () => {
    let held = true;
    let lose: () => void = () => undefined;
    const source = await startSource({
      script: `${write(`${line('up')}\n`)}${stay}`,
      lock: async () => {
        if (held) return null;
        const gone = new Promise<void>((resolve) => {
          lose = resolve;
        });
        return { gone, release: async () => undefined };
      },
    });
    await sleep(200);
    expect(source.state()).toMatchObject({ state: 'standby', starts: 0 });
    held = false;
    await waitFor('it is up', () => source.taken.length === 1);
    const { pid } = source.state();
    held = true;
    lose();
    await waitFor('it stands by', () => source.state().state === 'standby');
    expect(isAlive(pid ?? 0)).toBe(false);
    held = false;
    await waitFor('it is up again', () => source.taken.length === 2);
  });

  test('goes on while the database that keeps the lock is away', async () => {
    let away = false;
    let lose: () => void = () => undefined;
    let tries = 0;
    const source = await startSource({
      script: `${write(`${line('up')}\n`)}${stay}`,
      lock: async () => {
        tries += 1;
        if (away) throw new Error('ECONNREFUSED');
        const gone = new Promise<void>((resolve) => {
          lose = resolve;
        });
        return { gone, release: async () => undefined };
      },
    });
    await waitFor('it is up', () => source.taken.length === 1);
    away = true;
    lose();
    await waitFor('it asks again', () => tries >= 4);
    away = false;
    const asked = tries;
    await waitFor('it was answered', () => tries > asked);
    await sleep(100);
    expect(source.state()).toMatchObject({ state: 'running', starts: 1 });
  });
});
