import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readPack } from '../../src/config/read-pack.ts';
import type { Pack } from '../../src/domain/pack.ts';

/**
 * The example packs (or those of `dir`), as their authors wrote them.
 * @throws Error where one has lint faults: a runtime that guesses at Policy enforces nothing.
 */
export const loadExamplePacks = async (
  dir = findExamplePacks(),
  names: readonly string[] = ['mail', 'issues', 'watcher'],
): Promise<readonly Pack[]> =>
  Promise.all(
    names.map(async (name) => {
      const { pack } = await readPack(join(dir, name));
      if (pack === null) throw new Error(`pack ${name} in ${dir} does not pass hcp-sense lint`);
      return pack;
    }),
  );

/** Built code lies under dist/, the packs do not: look upwards for them. */
const findExamplePacks = (): string => {
  for (let dir = dirname(fileURLToPath(import.meta.url)); dir !== dirname(dir); dir = dirname(dir)) {
    const packs = join(dir, 'examples', 'packs');
    if (existsSync(join(packs, 'mail', 'policy.json'))) return packs;
  }
  throw new Error('examples/packs is not there');
};
