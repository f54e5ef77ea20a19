import { readFile, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { hasCode } from './has-code.ts';

const linksSchema = z.array(z.object({ source: z.string(), target: z.string() }));

/**
 * Makes the symbolic links that a tarball of npm cannot hold (libpq.so.5 and its like). The package's own postinstall
 * script would, but npm does not run it unasked (`allowScripts`).
 *
 * @throws what the file system says where the directory cannot be written
 */
export const linkLibraries = async (nativeDir: string): Promise<void> => {
  const links = linksSchema.parse(JSON.parse(await readFile(join(nativeDir, 'pg-symlinks.json'), 'utf8')));
  for (const { source, target } of links) {
    try {
      await symlink(basename(source), join(dirname(nativeDir), target));
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error;
    }
  }
};
