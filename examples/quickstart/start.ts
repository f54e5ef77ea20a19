/**
 * `npm start`: the whole product on one machine, with nothing else installed. Makes secrets on the first start, starts
 * the example runtime and every role, applies the example directory, and says what to try.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { startApp } from '../../src/app.ts';
import { knownVendors } from '../../src/cli/known-vendors.ts';
import { runUntilSignal } from '../../src/cli/run-until-signal.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { readYaml } from '../../src/config/read-yaml.ts';
import { parseDirectory } from '../../src/domain/directory-schema.ts';
import { CodedError } from '../../src/domain/errors.ts';
import { createLogger } from '../../src/observe/create-logger.ts';
import { applyDirectory } from '../../src/store/apply-directory.ts';
import { findPackageRoot } from '../../src/store/find-package-root.ts';
import { createMemoryRuntime, type RuntimeGrant } from '../runtime/create-memory-runtime.ts';
import { createRuntimeServer } from '../runtime/create-runtime-server.ts';
import { loadExamplePacks } from '../runtime/load-example-packs.ts';
import { makeSecrets } from './make-secrets.ts';
import { printWelcome } from './print-welcome.ts';

/** What the runtime itself lets our wake do; its grants are its own, whatever sense.yaml says. */
const runtimeGrants: readonly RuntimeGrant[] = [
  { principal: 'sense-wake', capability: 'verb.exec.read', pack_id: 'mail' },
];

const startedAt = performance.now();
const here = join(findPackageRoot(), 'examples', 'quickstart');

const start = async (): Promise<void> => {
  // sense.yaml names its secrets beside the checkout's own `.sense`, so that any terminal in it can paste the commands.
  const home = resolve(findPackageRoot(), '.sense');
  const log = createLogger(process.env.LOG_LEVEL ?? 'warn');
  const secretsMade = await makeSecrets(home);
  // Where the watcher pack runs.
  await mkdir(join(home, 'workspace'), { recursive: true });
  const loaded = await readConfig({
    file: join(here, 'sense.yaml'),
    env: { ...process.env, SENSE_HOME: home },
    role: 'all',
    vendors: knownVendors,
  });

  const runtime = createRuntimeServer({
    runtime: createMemoryRuntime({
      packs: await loadExamplePacks(),
      grants: runtimeGrants,
    }),
    token: loaded.secrets.execute ?? '',
  });
  const runtimeUrl = await listen(runtime.listen, loaded.config.execute?.url ?? '');
  try {
    const app = await startApp({ loaded, role: 'all', log });
    try {
      const written = readYaml(await readFile(join(here, 'directory.yaml'), 'utf8'), 'directory.yaml').value;
      const parsed = parseDirectory(written, { tenant: loaded.config.tenant, packs: loaded.packs });
      if (!parsed.ok) {
        throw new CodedError('DIRECTORY_INVALID', 'directory.yaml has faults', {
          faults: parsed.faults.map(({ message }) => message),
        });
      }
      await applyDirectory(app.pool, parsed.directory);
      printWelcome({ app, runtimeUrl, home, tookMs: performance.now() - startedAt, secretsMade });
    } catch (error) {
      await app.stop();
      throw error;
    }
    await runUntilSignal(app, log);
  } finally {
    await runtime.close();
  }
};

const listen = async (listenOn: (port: number) => Promise<string>, url: string): Promise<string> => {
  const port = Number(new URL(url).port);
  try {
    return await listenOn(port);
  } catch (cause) {
    throw new CodedError('PORT_IN_USE', `Port ${port}, where the example runtime listens, is taken`, {
      cause,
    });
  }
};

try {
  await start();
} catch (error) {
  if (!(error instanceof CodedError)) throw error;
  console.error(`\n  ${error.code}: ${error.message}`);
  for (const fault of error.faults) console.error(`    - ${fault}`);
  process.exitCode = 1;
}
