import { readdir, readFile } from 'node:fs/promises';

/** Clock ticks a second in /proc/<pid>/stat; Linux has had no other value for decades (`getconf CLK_TCK`). */
const ticksPerSecond = 100;

export type ProcessReading = {
  /** Bytes resident now, and at the highest so far (VmRSS and VmHWM of /proc/<pid>/status). */
  resident: number;
  peak: number;
  /** CPU seconds so far, its children's included. */
  cpuSeconds: number;
};

/** What Linux knows of a process (proc_pid_status(5), proc_pid_stat(5)). */
export const readProcess = async (pid: number): Promise<ProcessReading> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const bytes = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? Number.NaN) * 1024;
  const processes = await listProcesses();
  const own = processes.find((each) => each.pid === pid)?.ticks ?? 0;
  const children = processes
    .filter(({ parent }) => parent === pid)
    .reduce((sum, { ticks }) => sum + ticks, 0);
  return { resident: bytes('VmRSS'), peak: bytes('VmHWM'), cpuSeconds: (own + children) / ticksPerSecond };
};

const listProcesses = async (): Promise<Array<{ pid: number; parent: number; ticks: number }>> => {
  const names = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(
    names.map((name) => readFile(`/proc/${name}/stat`, 'latin1').catch(() => null)),
  );
  return stats.flatMap((stat) => {
    if (stat === null) return [];
    // The name in brackets may hold blanks and brackets; the fields after it do not.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // utime, stime, and those of children that have ended (fields 14 to 17 of the manual page).
    const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
    return [{ pid: Number.parseInt(stat, 10), parent: Number(fields[1]), ticks }];
  });
};
