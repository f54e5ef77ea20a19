import { randomBytes } from 'node:crypto';
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CodedError } from '../domain/errors.ts';
import type { PostgresOwner } from './choose-postgres-owner.ts';
import { hasCode } from './has-code.ts';
import { isAlive } from './is-alive.ts';
import { runAsOwner } from './run-as-owner.ts';

const passwordFile = (dataDir: string) => join(dataDir, 'hcp-sense.password');

const readPassword = async (dataDir: string): Promise<string | null> => {
  try {
    return await readFile(passwordFile(dataDir), 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw new CodedError('EMBEDDED_POSTGRES_FAILED', `${dataDir} cannot be read: another user made it`, {
      cause: error,
    });
  }
};

/**
 * Makes the cluster if there is none. It is made beside its place and moved there when it is whole, so that a start
 * killed half-way leaves nothing that the next one takes for a cluster, and two first starts at once make one.
 *
 * @returns the password of the superuser `postgres`; it lies in the data directory, so the two cannot part
 */
export const initCluster = async (cluster: {
  nativeDir: string;
  dataDir: string;
  owner: PostgresOwner | null;
}): Promise<string> => {
  const { nativeDir, dataDir, owner } = cluster;
  const existing = await readPassword(dataDir);
  if (existing !== null) return existing;

  const parent = dirname(dataDir);
  await mkdir(parent, { recursive: true });
  await removeAbandoned(parent, `${basename(dataDir)}.new-`);
  const draft = join(parent, `${basename(dataDir)}.new-${process.pid}-${randomBytes(4).toString('hex')}`);
  const password = randomBytes(24).toString('base64url');
  const give = async (path: string) => {
    if (owner) await chown(path, owner.uid, owner.gid);
  };
  await mkdir(draft, { mode: 0o700 });
  await give(draft);
  await writeFile(`${draft}.pw`, password, { mode: 0o600 });
  await give(`${draft}.pw`);
  try {
    const { code, output } = await runAsOwner(owner, join(nativeDir, 'bin', 'initdb'), [
      `--pgdata=${draft}`,
      `--pwfile=${draft}.pw`,
      '--username=postgres',
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The machine's locales differ and change under an index when the system is upgraded; C never does.
      '--locale=C',
    ]);
    if (code !== 0) throw new CodedError('EMBEDDED_POSTGRES_FAILED', `initdb said: ${output}`);
    await rename(`${draft}.pw`, passwordFile(draft));
    try {
      await rename(draft, dataDir);
      return password;
    } catch (error) {
      const other = await readPassword(dataDir);
      if (other !== null) return other;
      throw new CodedError(
        'EMBEDDED_POSTGRES_FAILED',
        `${dataDir} is not a cluster of ours and not empty; move it away`,
        { cause: error },
      );
    }
  } finally {
    await rm(draft, { recursive: true, force: true });
    await rm(`${draft}.pw`, { force: true });
  }
};

const removeAbandoned = async (parent: string, prefix: string) => {
  for (const name of await readdir(parent)) {
    const pid = name.startsWith(prefix) ? Number.parseInt(name.slice(prefix.length), 10) : Number.NaN;
    if (Number.isInteger(pid) && !isAlive(pid))
      await rm(join(parent, name), { recursive: true, force: true });
  }
};
