import { randomBytes } from 'node:crypto';
import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CodedError } from '../domain/errors.ts';
import type { PostgresOwner } from './choose-postgres-owner.ts';
import { linkLibraries } from './link-libraries.ts';
import { locatePostgres } from './locate-postgres.ts';
import { runAsOwner } from './run-as-owner.ts';

const runs = async (nativeDir: string, owner: PostgresOwner | null) => {
  const tries = await Promise.all(
    ['postgres', 'initdb'].map((name) =>
      runAsOwner(owner, join(nativeDir, 'bin', name), ['--version'], 10_000),
    ),
  );
  return { ok: tries.every(({ code }) => code === 0), said: tries.map(({ output }) => output).join('; ') };
};

/**
 * Finds Postgres' binaries and sees that the owner can run them: in place, or from a copy at `copyTo` where they lie
 * behind a directory that the owner cannot enter, or where their links cannot be made in place.
 *
 * @throws EMBEDDED_POSTGRES_FAILED with what they said where they do not run at all
 */
export const preparePostgres = async (where: {
  owner: PostgresOwner | null;
  copyTo: string;
}): Promise<{ nativeDir: string; copied: boolean }> => {
  const inPlace = locatePostgres();
  await linkLibraries(inPlace).catch(() => undefined);
  if ((await runs(inPlace, where.owner)).ok) return { nativeDir: inPlace, copied: false };

  const copy = join(where.copyTo, 'native');
  if ((await runs(copy, where.owner)).ok) return { nativeDir: copy, copied: true };
  const draft = `${where.copyTo}.new-${randomBytes(4).toString('hex')}`;
  try {
    await mkdir(dirname(draft), { recursive: true });
    await cp(inPlace, join(draft, 'native'), { recursive: true, verbatimSymlinks: true });
    await linkLibraries(join(draft, 'native'));
    await rm(where.copyTo, { recursive: true, force: true });
    await rename(draft, where.copyTo);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
  const result = await runs(copy, where.owner);
  if (!result.ok)
    throw new CodedError('EMBEDDED_POSTGRES_FAILED', `Postgres' binaries do not run here: ${result.said}`);
  return { nativeDir: copy, copied: true };
};
