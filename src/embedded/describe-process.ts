import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export type ProcessDescription = {
  /** When it began, in whatever form the system has: with the id it names one process, also after ids are used again. */
  began: string;
  command: string;
};

/** @returns what runs under this process id, null where nothing does or it is a zombie. */
export const describeProcess = async (pid: number): Promise<ProcessDescription | null> => {
  try {
    if (process.platform === 'linux') {
      const [stat, cmdline] = await Promise.all([
        readFile(`/proc/${pid}/stat`, 'latin1'),
        readFile(`/proc/${pid}/cmdline`, 'utf8'),
      ]);
      // The name in brackets may hold blanks and brackets; the fields after it do not (proc_pid_stat(5)).
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (fields[0] === 'Z') return null;
      return { began: fields[19] ?? '', command: cmdline.replaceAll('\0', ' ').trim() };
    }
    const [began, command] = await Promise.all(
      ['lstart=', 'args='].map(async (field) =>
        (await run('ps', ['-o', field, '-p', String(pid)])).stdout.trim(),
      ),
    );
    return began && command ? { began, command } : null;
  } catch {
    return null;
  }
};
