// The quick start as a stranger meets it: `npm start`, the three commands that it prints, Ctrl-C, and nothing left behind.
// node scripts/try-quickstart.mjs [PATH-OF-A-NODE-BINARY]   runs everything on that Node instead of this one.
import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '..');
const node = resolve(process.argv[2] ?? process.execPath);
const mark = randomUUID();
const env = { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}`, SENSE_TRY: mark };
for (const name of ['DATABASE_URL', 'REDIS_URL', 'SENSE_CONFIG', 'SENSE_HOME']) delete env[name];

const readyWithinMs = 180_000; // with the build, on a machine that does other things too
const endWithinMs = 10_000;

const fail = (message) => {
  throw new Error(message);
};

/** Processes that carry our mark in their environment. */
const marked = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`SENSE_TRY=${mark}`)) return [];
        return [
          {
            pid: Number(pid),
            command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim(),
          },
        ];
      } catch {
        return [];
      }
    })
    .filter(({ command }) => command !== '');

const isAlive = (pid) => {
  try {
    // After the bracketed name comes the state; a zombie has ended.
    return !/^Z/.test(readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /s, ''));
  } catch {
    return false;
  }
};

const postmasterPid = () => {
  const state = join(root, '.sense', 'postgres.json');
  if (!existsSync(state)) return fail(`${state} is not there while Postgres should run`);
  const { dataDir } = JSON.parse(readFileSync(state, 'utf8'));
  return Number.parseInt(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8'), 10);
};

const waitUntil = async (what, withinMs, isSo) => {
  const deadline = Date.now() + withinMs;
  while (!isSo()) {
    if (Date.now() > deadline) fail(`${what} did not come within ${withinMs / 1000} s`);
    await sleep(100);
  }
};

const runPrinted = (line) => {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
    cwd: root,
    env,
    encoding: 'utf8',
    timeout: 60_000,
  });
  console.log(`$ ${line}\n${stdout}${stderr}`);
  if (status !== 0) fail(`"${line}" ended with ${status}`);
  if (stdout.trim() === '') fail(`"${line}" printed nothing`);
  return stdout;
};

console.log(`quick start on Node ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()}`);
// A group of its own, to be sent what a terminal sends on Ctrl-C: SIGINT to all of it.
const started = spawn('npm', ['start'], {
  cwd: root,
  env,
  detached: true,
  stdio: ['ignore', 'pipe', 'pipe'],
});
let said = '';
let hasEnded = false;
started.stdout.on('data', (chunk) => {
  said += chunk;
});
started.stderr.on('data', (chunk) => {
  said += chunk;
});
started.on('exit', () => {
  hasEnded = true;
});
try {
  const printed = () =>
    said
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line.startsWith('npx hcp-sense '));
  await waitUntil('"ready" and three commands', readyWithinMs, () => {
    if (hasEnded) fail('npm start ended by itself');
    return /\bready\b/.test(said) && printed().length >= 3;
  });
  const [send, drain, explain] = ['send', 'drain', 'explain'].map(
    (name) =>
      printed().find((line) => line.startsWith(`npx hcp-sense ${name} `)) ??
      fail(`no ${name} command was printed`),
  );
  // An id of this run's own: the data of an earlier one are there, and a repeat is rightly recorded once.
  const printedId = /--id (\S+)/.exec(send)?.[1] ?? fail('the send command names no --id');
  const id = `try-${mark.slice(0, 8)}`;
  runPrinted(send.replace(printedId, id));
  if (!runPrinted(drain).includes('"record_id"')) fail('nothing came to the inbox');
  const explained = runPrinted(explain.replace(printedId, id));
  if (!explained.includes(id)) fail(`the explanation does not name ${id}`);
  if (/wake \S+: (failed|denied)/.test(explained)) fail('the wake did not do its work');

  const postgres = postmasterPid();
  const stoppedAt = Date.now();
  process.kill(-started.pid, 'SIGINT');
  await waitUntil(
    'the end after Ctrl-C',
    endWithinMs,
    () => hasEnded && !isAlive(postgres) && marked().length === 0,
  );
  console.log(`ended ${((Date.now() - stoppedAt) / 1000).toFixed(1)} s after Ctrl-C, nothing left`);
} catch (error) {
  console.error(said);
  console.error(`quick start: ${error.message}`);
  for (const { pid, command } of marked()) {
    console.error(`left: ${pid} ${command}`);
    process.kill(pid, 'SIGKILL');
  }
  process.exitCode = 1;
}
