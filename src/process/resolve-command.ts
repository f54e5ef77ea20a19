import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

const isFile = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
};

const isProgram = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK);
    return await isFile(path);
  } catch {
    return false;
  }
};

/** A relative path with a slash that is a file beside the configuration becomes absolute; all else stays. */
const fromConfig = async (word: string, dir: string): Promise<string> => {
  if (!word.includes('/') || isAbsolute(word)) return word;
  const path = resolve(dir, word);
  return (await isFile(path)) ? path : word;
};

/**
 * The command as it is started. It runs in its workspace, but is written in the configuration, whose relative paths are
 * taken from its own directory. A plain name is looked up in our `PATH`, which the process itself may not be given.
 */
export const resolveCommand = async (
  command: readonly string[],
  { dir, path }: { dir: string; path: string },
): Promise<{ program: string; args: string[] }> => {
  const [program = '', ...args] = await Promise.all(command.map((word) => fromConfig(word, dir)));
  if (program.includes('/')) return { program, args };
  for (const folder of path.split(delimiter)) {
    const found = join(folder === '' ? '.' : folder, program);
    if (await isProgram(found)) return { program: resolve(found), args };
  }
  return { program, args };
};
