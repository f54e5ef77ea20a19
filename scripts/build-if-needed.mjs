// Builds dist/ where it is missing or older than what it is made from; `npm start` calls it.
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const made = join(root, 'dist', '.built');
const madeFrom = ['src', 'examples', 'bench', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];

const newest = (path) => {
  const entry = statSync(path, { throwIfNoEntry: false });
  if (!entry?.isDirectory()) return entry?.mtimeMs ?? 0;
  return Math.max(entry.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
};

const builtAt = statSync(made, { throwIfNoEntry: false })?.mtimeMs ?? 0;
if (madeFrom.some((path) => newest(join(root, path)) > builtAt)) {
  console.error('building …');
  const { status } = spawnSync(process.execPath, [join(import.meta.dirname, 'build.mjs')], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
}
