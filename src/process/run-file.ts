import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** The group of a run, whose leader has its number, and when that leader began. */
const runSchema = z.strictObject({ group: z.int().min(2), began: z.string() });
export type RunMark = z.infer<typeof runSchema>;

/**
 * What a source runs on this machine, for the next start: should we and the keeper be killed together, that start ends
 * what was left. `<dir>/process-<source>.json`.
 */
export const runFile = (dir: string, source: string) => {
  const path = join(dir, `process-${source}.json`);
  return {
    async read(): Promise<RunMark | null> {
      try {
        return runSchema.safeParse(JSON.parse(await readFile(path, 'utf8'))).data ?? null;
      } catch {
        return null;
      }
    },
    async write(mark: RunMark): Promise<void> {
      await mkdir(dir, { recursive: true });
      await writeFile(`${path}.new`, JSON.stringify(mark), { mode: 0o600 });
      await rename(`${path}.new`, path);
    },
    remove: (): Promise<void> => rm(path, { force: true }),
  };
};

export type RunFile = ReturnType<typeof runFile>;
