import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cacheDir = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'python');
const wanted = 'bullmq==3.4.4';

export type Python = { file: string; env: NodeJS.ProcessEnv };

/**
 * A Python that has BullMQ's own package: where it is missing, pip puts it beside node_modules.
 *
 * @returns the reason where there is none. With SENSE_REQUIRE=python (CI sets it) that is a failure.
 */
export const findPythonBullmq = async (): Promise<Python | { reason: string }> => {
  const python: Python = { file: 'python3', env: { ...process.env, PYTHONPATH: cacheDir } };
  try {
    if (!(await hasBullmq(python)))
      await run(python.file, ['-m', 'pip', 'install', '--quiet', '--target', cacheDir, wanted], {
        env: process.env,
      });
    if (await hasBullmq(python)) return python;
    throw new Error(`${wanted} was installed and can't be imported`);
  } catch (error) {
    const reason =
      error instanceof Error ? (error.message.split('\n').at(-2) ?? error.message) : String(error);
    if ((process.env.SENSE_REQUIRE ?? '').split(',').includes('python'))
      throw new Error(`SENSE_REQUIRE names python, which can't be had with ${wanted}: ${reason}`);
    console.error(`Python with ${wanted} can't be had, its test is skipped: ${reason}`);
    return { reason };
  }
};

const hasBullmq = ({ file, env }: Python): Promise<boolean> =>
  run(file, ['-c', 'import bullmq'], { env }).then(
    () => true,
    () => false,
  );
