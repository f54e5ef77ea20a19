import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** @returns our package's directory, found upwards: this file runs from src/ under test and from dist/src/ when built. */
export const findPackageRoot = (): string => {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, 'package.json'))) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error('hcp-sense is installed without its package.json');
    directory = parent;
  }
  return directory;
};
