import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PlantedSecrets } from './ingress/planted-secrets.ts';

const codeOf = (error: unknown): unknown => Reflect.get(Object(error), 'code');

/**
 * Keeps planted keys as files that only we may read, one for each source, in `dir` (made when the first comes). All
 * processes of one home see the same ones.
 */
export const createPlantedFiles = (dir: string): PlantedSecrets => ({
  async read(source) {
    try {
      return await readFile(join(dir, source), 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return null;
      throw error;
    }
  },
  async plant(source, secret) {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    // Written whole under another name first: whoever reads the file never sees half of it. A link replaces nothing.
    const draft = join(dir, `.${source}.${randomUUID()}`);
    await writeFile(draft, secret, { mode: 0o600, flag: 'wx', flush: true });
    try {
      await link(draft, join(dir, source));
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
  },
});
