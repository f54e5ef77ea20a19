import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export type LeftProcess = { pid: number; command: string };

/** Processes of this run that outlive it by five seconds, told by the mark in their environment (Linux only). */
export const findLeftProcesses = async (mark: string): Promise<LeftProcess[]> => {
  const deadline = Date.now() + 5_000;
  for (;;) {
    const left = await look(mark);
    if (left.length === 0 || Date.now() > deadline) return left;
    await sleep(200);
  }
};

const look = async (mark: string): Promise<LeftProcess[]> => {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  const left: LeftProcess[] = [];
  for (const pid of pids) {
    try {
      const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
      if (!environment.includes(`SENSE_TEST_RUN=${mark}`)) continue;
      const command = (await readFile(`/proc/${pid}/cmdline`, 'latin1')).replaceAll('\0', ' ').trim();
      // An empty command line is a process that has ended already. The runner's own are not the tests' doing.
      if (Number(pid) !== process.pid && command !== '' && !/vitest|esbuild/.test(command))
        left.push({ pid: Number(pid), command });
    } catch {
      // ended meanwhile, or somebody else's
    }
  }
  return left;
};
