import { randomBytes } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const token = (): string => randomBytes(24).toString('base64url');
const standardWebhooks = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** File name → how its secret is made; the names are those that sense.yaml reads. */
const secrets: Readonly<Record<string, () => string>> = {
  'mail-hook': standardWebhooks,
  github: token,
  execute: token,
  ops: token,
  agent: token,
};

/**
 * Makes the secrets and tokens of the quick start that are not there yet, readable for this user alone (mode 0600). What
 * is there stays: a second start must not lock out who holds a token.
 * @returns how many were made
 */
export const makeSecrets = async (home: string): Promise<number> => {
  const dir = join(home, 'secrets');
  // Others may pass through home: as root, Postgres runs as another user, and keeps its data beside the secrets.
  await mkdir(home, { recursive: true, mode: 0o711 });
  await mkdir(dir, { recursive: true, mode: 0o700 });
  await chmod(dir, 0o700);
  let made = 0;
  for (const [name, make] of Object.entries(secrets)) {
    try {
      await writeFile(join(dir, name), `${make()}\n`, { mode: 0o600, flag: 'wx' });
      made += 1;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  return made;
};
