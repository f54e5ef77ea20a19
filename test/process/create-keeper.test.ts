import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { isAlive } from '../../src/embedded/is-alive.ts';
import { waitFor } from '../helpers/wait-for.ts';

const keeper = new URL('../../dist/src/process/create-keeper.js', import.meta.url).href;

/** A parent of its own, as we are: it keeps groups of processes that ignore TERM, and lets one go again. */
const parent = `
import { spawn } from 'node:child_process';
import { createKeeper } from ${JSON.stringify(keeper)};
const keeper = createKeeper({ warn() {} });
const start = () => spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); console.log('up'); setInterval(() => {}, 1000)"],
  { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
const children = [start(), start(), start()];
for (const { pid } of children) keeper.keep(pid);
keeper.forget(children[2].pid);
await Promise.all(children.map(({ stdout }) => new Promise((resolve) => stdout.once('data', resolve))));
console.log(JSON.stringify(children.map(({ pid }) => pid)));
setInterval(() => {}, 1000);
`;

test('what we started ends when we are killed, also what ignores TERM; what was let go is left alone', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', parent], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line]: string[] = await once(createInterface({ input: child.stdout }), 'line');
  const pids: number[] = JSON.parse(line ?? '[]');
  onTestFinished(() => {
    for (const pid of pids.filter(isAlive)) process.kill(pid, 'SIGKILL');
  });
  expect(pids.map(isAlive)).toEqual([true, true, true]);
  child.kill('SIGKILL');
  await waitFor('the first two have ended', () => !pids.slice(0, 2).some(isAlive));
  expect(pids.map(isAlive)).toEqual([false, false, true]);
});
