import { createHash } from 'node:crypto';
import { access, constants, mkdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CodedError } from '../domain/errors.ts';
import { choosePostgresOwner, type PostgresOwner } from './choose-postgres-owner.ts';
import { preparePostgres } from './prepare-postgres.ts';
import { runAsOwner } from './run-as-owner.ts';

export type PostgresPlace = {
  nativeDir: string;
  dataDir: string;
  owner: PostgresOwner | null;
  /** Why something lies elsewhere than asked, in words to print; null where nothing does. */
  movedBecause: string | null;
};

/**
 * Decides where the cluster lies and who runs it: at `dir`, unless we are root and the user that Postgres then runs as
 * cannot go there. Then it lies under `spareRoot`, in a directory that is this place's own.
 */
export const placePostgres = async (
  dir: string,
  spareRoot = '/var/lib/hcp-sense',
): Promise<PostgresPlace> => {
  const home = dirname(resolve(dir));
  try {
    await mkdir(home, { recursive: true });
    await access(home, constants.W_OK);
  } catch (error) {
    throw new CodedError('EMBEDDED_POSTGRES_FAILED', `${home} cannot be made or written`, { cause: error });
  }
  const realHome = await realpath(home);
  const near = join(realHome, basename(dir));
  const owner = (await ownerOfData(near)) ?? (await choosePostgresOwner());
  const spare = join(spareRoot, createHash('sha256').update(near).digest('hex').slice(0, 12));
  if (owner === null) {
    const { nativeDir } = await preparePostgres({ owner, copyTo: `${near}-binaries` });
    return { nativeDir, dataDir: near, owner, movedBecause: null };
  }

  const { nativeDir, copied } = await preparePostgres({ owner, copyTo: join(spare, 'binaries') });
  const mayEnter = (await runAsOwner(owner, 'test', ['-x', realHome])).code === 0;
  const dataDir = mayEnter ? near : join(spare, 'postgres');
  if (mayEnter && !copied) return { nativeDir, dataDir, owner, movedBecause: null };
  const where = [
    mayEnter ? null : `cannot enter ${realHome}, so the data are in ${dataDir}`,
    copied ? `cannot run what lies in node_modules, so a copy is in ${nativeDir}` : null,
  ];
  const movedBecause = `Postgres refuses root and runs as user ${owner.name}, who ${where.filter((reason) => reason !== null).join(', and ')}`;
  return { nativeDir, dataDir, owner, movedBecause };
};

/** As root we go on as the user whose data are there already, be it one of the candidates or who started us first. */
const ownerOfData = async (dataDir: string): Promise<PostgresOwner | null> => {
  if (process.getuid?.() !== 0) return null;
  const data = await stat(dataDir).catch(() => null);
  if (data === null || data.uid === 0) return null;
  const name = await runAsOwner(null, 'id', ['-nu', String(data.uid)]);
  return { name: name.code === 0 ? name.output : String(data.uid), uid: data.uid, gid: data.gid };
};
