import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const readyWithinMs = 30_000;
const stopWithinMs = 15_000;

export type BenchProcess = { name: string; pid: number; stop(): Promise<void> };

type ProcessOptions = {
  name: string;
  /** Arguments of node: its own options, the file, the file's arguments. */
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Where its output goes. */
  logFile: string;
  /** It is ready when this port answers 200 to GET /readyz. */
  port: number;
};

const running = new Set<ChildProcess>();
// Whatever ends the bench, it leaves nobody behind.
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts one process of a subject and waits until it is ready. @throws with the end of its log when it isn't */
export const startProcess = async ({
  name,
  args,
  env,
  logFile,
  port,
}: ProcessOptions): Promise<BenchProcess> => {
  const log = await open(logFile, 'a');
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', log.fd, log.fd],
  });
  running.add(child);
  const exited = once(child, 'exit').then(() => running.delete(child));
  await log.close();

  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const patience = new AbortController();
    const late = sleep(stopWithinMs, true, { signal: patience.signal }).catch(() => false);
    if (await Promise.race([late, exited.then(() => false)])) child.kill('SIGKILL');
    patience.abort();
    await exited;
  };
  for (const deadline = Date.now() + readyWithinMs; !(await isReady(port)); await sleep(50)) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
      await stop();
      const said = await readFile(logFile, 'utf8');
      throw new Error(`${name} did not become ready; the end of ${logFile}:\n${said.slice(-4000)}`);
    }
  }
  return { name, pid: child.pid ?? 0, stop };
};

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(2000) }).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.ok;
    },
    () => false,
  );
