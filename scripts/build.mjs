// Compiles to dist/ and, when that went well, leaves a mark there for build-if-needed.mjs.
import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const mark = join(root, 'dist', '.built');
const startedAt = new Date();

rmSync(mark, { force: true });
const { status } = spawnSync(process.execPath, [tsc, '-p', join(root, 'tsconfig.build.json')], {
  stdio: 'inherit',
});
if (status === 0) {
  chmodSync(join(root, 'dist', 'src', 'main.js'), 0o755);
  // Dated by the start: a file saved while the compiler ran is newer than the mark.
  writeFileSync(mark, startedAt.toISOString());
  utimesSync(mark, startedAt, startedAt);
}
process.exitCode = status ?? 1;
