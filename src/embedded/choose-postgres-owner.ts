import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { CodedError } from '../domain/errors.ts';

/** An unprivileged user that Postgres runs as. */
export type PostgresOwner = { name: string; uid: number; gid: number };

const candidates = ['postgres', 'nobody'];
const run = promisify(execFile);

/** @returns the user to run Postgres as: null for ourselves, somebody else where we are root, which Postgres refuses. */
export const choosePostgresOwner = async (): Promise<PostgresOwner | null> => {
  if (process.getuid?.() !== 0) return null;
  for (const name of candidates) {
    try {
      const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
      return { name, uid: Number(uid.stdout), gid: Number(gid.stdout) };
    } catch {
      // no such user here: the next
    }
  }
  throw new CodedError(
    'EMBEDDED_POSTGRES_FAILED',
    `Postgres refuses to run as root and this machine has none of the users ${candidates.join(', ')}`,
  );
};
