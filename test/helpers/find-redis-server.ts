import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const cacheDir = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'redis');

export type RedisBinary = { file: string; env: NodeJS.ProcessEnv };

/**
 * A redis-server that can be run here: the one on PATH, or the distribution's package unpacked beside node_modules
 * (no root needed). Its version is printed by the run.
 *
 * @throws with the reason where there is none
 */
export const findRedisServer = async (): Promise<RedisBinary> => {
  const onPath: RedisBinary = { file: 'redis-server', env: process.env };
  if (await answers(onPath)) return onPath;
  if (!(await answers(unpacked(cacheDir)))) await unpack();
  const cached = unpacked(cacheDir);
  if (await answers(cached)) return cached;
  throw new Error('the unpacked redis-server does not run on this machine');
};

const answers = ({ file, env }: RedisBinary) =>
  run(file, ['--version'], { env }).then(
    () => true,
    () => false,
  );

const unpacked = (root: string): RedisBinary => ({
  file: join(root, 'usr', 'bin', 'redis-server'),
  env: { ...process.env, LD_LIBRARY_PATH: libraryPath(root) },
});

const libraryPath = (root: string) => {
  const machine = { x64: 'x86_64', arm64: 'aarch64' }[process.arch as string] ?? process.arch;
  return ['usr/lib', 'lib'].map((folder) => join(root, folder, `${machine}-linux-gnu`)).join(':');
};

const unpack = async () => {
  await mkdir(join(cacheDir, '..'), { recursive: true });
  // Beside its place and then moved: two runs may do this at once, and one may be stopped half-way.
  const draft = await mkdtemp(`${cacheDir}-new-`);
  try {
    await download(draft, ['redis-server', 'redis-tools']);
    const binary = unpacked(draft);
    const { stdout } = await run('ldd', [binary.file], { env: binary.env });
    if (stdout.includes('not found')) {
      const depends = await run('apt-cache', [
        'depends',
        ...[
          '--recurse',
          '--no-recommends',
          '--no-suggests',
          '--no-conflicts',
          '--no-breaks',
          '--no-replaces',
        ],
        'redis-tools',
      ]);
      const libraries = new Set(depends.stdout.split('\n').filter((line) => /^lib[a-z0-9.+-]+$/.test(line)));
      // The C library itself must be the machine's own.
      libraries.delete('libc6');
      await download(draft, [...libraries]);
    }
    await rm(cacheDir, { recursive: true, force: true });
    await rename(draft, cacheDir).catch(() => access(unpacked(cacheDir).file));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
};

const download = async (root: string, packages: string[]) => {
  const debs = join(root, 'debs');
  await mkdir(debs, { recursive: true });
  const get = () => run('apt-get', ['download', ...packages], { cwd: debs, timeout: 120_000 });
  try {
    await get();
  } catch (error) {
    if (process.getuid?.() !== 0) throw error;
    // A fresh machine's lists are empty or name versions that are gone.
    await run('apt-get', ['update'], { timeout: 180_000 });
    await get();
  }
  for (const name of await readdir(debs)) await run('dpkg', ['-x', join(debs, name), root]);
  await rm(debs, { recursive: true, force: true });
};
