import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { CodedError } from '../domain/errors.ts';
import { hasCode } from './has-code.ts';

const stateSchema = z.object({
  url: z.string(),
  dataDir: z.string(),
  movedBecause: z.string().nullable(),
  /** The process that started it and stops it. */
  starter: z.object({ pid: z.int(), began: z.string() }),
});

export type EmbeddedState = z.infer<typeof stateSchema>;

/** What runs at a place (`.sense/postgres`), for our other processes to find: `<dir>.json`, mode 0600 as it holds the password. */
export const stateFile = (dir: string) => {
  const path = `${resolve(dir)}.json`;
  return {
    async read(): Promise<EmbeddedState | null> {
      try {
        return stateSchema.safeParse(JSON.parse(await readFile(path, 'utf8'))).data ?? null;
      } catch (error) {
        if (hasCode(error, 'ENOENT') || error instanceof SyntaxError) return null;
        throw new CodedError('EMBEDDED_POSTGRES_FAILED', `${path} cannot be read: another user started it`, {
          cause: error,
        });
      }
    },
    async write(state: EmbeddedState): Promise<void> {
      await writeFile(`${path}.new`, JSON.stringify(state), { mode: 0o600 });
      await rename(`${path}.new`, path);
    },
    remove: (): Promise<void> => rm(path, { force: true }),
  };
};
