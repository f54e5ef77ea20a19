import { readFile } from 'node:fs/promises';
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import type { z } from 'zod';
import { CodedError, type ErrorCode } from '../domain/errors.ts';
import type { WakeRule } from '../domain/execute.ts';
import type { LoadedPack } from '../domain/pack.ts';
import { formatPath } from '../policy/format-path.ts';
import { checkQueues } from './check-queues.ts';
import {
  checkDoubledIds,
  checkRefName,
  checkSources,
  type Entry,
  type KnownPacks,
  type KnownVendors,
} from './check-references.ts';
import { checkExecuteGrants, checkWakes } from './check-wakes.ts';
import { type ConfigFault, describeConfigIssue } from './describe-config-issue.ts';
import { loadPacks } from './load-packs.ts';
import type { LoadedConfig, Role } from './loaded-config.ts';
import type { Environment } from './read-secret.ts';
import { readYaml } from './read-yaml.ts';
import { resolveSecrets } from './resolve-secrets.ts';
import { resolveStores } from './resolve-stores.ts';
import { type Config, configSchema } from './schema.ts';

type Raw = Readonly<Record<string, unknown>>;

/** The entries of a list that are valid by themselves, so that the fault of one hides no fault of another. */
const readEntries = <T>(raw: unknown, key: string, schema: z.ZodType<T>): Array<Entry<T>> => {
  const list: unknown[] = Array.isArray(raw) ? raw : [];
  return list.flatMap((item, index) => {
    const checked = schema.safeParse(item);
    return checked.success ? [{ value: checked.data, path: [key, index] }] : [];
  });
};

const readText = async (file: string, given: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === 'ENOENT';
    throw new CodedError('CONFIG_NOT_FOUND', `${given} ${missing ? 'does not exist' : 'cannot be read'}`, {
      cause,
    });
  }
};

const deepFreeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
};

const absolutePaths = (config: Config, dir: string): Config => ({
  ...config,
  packs: config.packs.map((pack) => ({ ...pack, dir: resolve(dir, pack.dir) })),
  sources: config.sources.map((source) =>
    source.cwd === undefined ? source : { ...source, cwd: resolve(dir, source.cwd) },
  ),
});

const readWakeRules = (config: Config): WakeRule[] =>
  config.wakes.map(({ id, on, steps, coalesce, budget }) => ({
    id,
    on,
    steps,
    coalesceMs: coalesce ?? 0,
    perPrincipalPerHour: budget?.per_principal_per_hour ?? null,
  }));

/** The code that says most about all that was found. */
const codeOf = (counts: { own: number; missing: number; faulty: number }): ErrorCode => {
  if (counts.own > 0 || (counts.missing > 0 && counts.faulty > 0)) return 'CONFIG_INVALID';
  return counts.missing > 0 ? 'PACK_NOT_FOUND' : 'PACK_FAULTY';
};

/**
 * Reads a configuration with its packs and the secrets that `role` needs, checks it whole and freezes it.
 * @param role null for a command that starts nothing: then no secret is read
 * @param vendors the vendor profiles that there are, and what each asks of a source; null where the caller does not know them
 * @param cwd where `.sense` lies unless SENSE_HOME says otherwise
 * @throws CONFIG_NOT_FOUND, CONFIG_YAML; then CONFIG_INVALID, PACK_NOT_FOUND or PACK_FAULTY with every fault at once, each
 *   as `path (line N): message`; then SECRET_UNUSABLE
 */
export const readConfig = async ({
  file: givenFile,
  env,
  role = null,
  vendors = null,
  cwd = process.cwd(),
}: {
  file: string;
  env: Environment;
  role?: Role | null;
  vendors?: KnownVendors | null;
  cwd?: string;
}): Promise<LoadedConfig> => {
  const file = resolve(cwd, givenFile);
  const dir = dirname(file);
  const home = resolve(cwd, env.SENSE_HOME?.trim() || '.sense');
  const label = isAbsolute(givenFile) ? basename(givenFile) : givenFile;
  const yaml = readYaml(await readText(file, givenFile), label);
  const checked = configSchema.safeParse(yaml.value);
  const raw: Raw = Object(yaml.value);
  const { shape } = configSchema;

  const packEntries = readEntries(raw.packs, 'packs', shape.packs.element);
  const packs = await loadPacks(packEntries, dir, yaml.lineOf);
  const allPacksRead = packEntries.length === (Array.isArray(raw.packs) ? raw.packs.length : 0);
  const known: KnownPacks = { byId: packs.known.byId, complete: packs.known.complete && allPacksRead };
  const sources = readEntries(raw.sources, 'sources', shape.sources.unwrap().element);
  const wakes = readEntries(raw.wakes, 'wakes', shape.wakes.unwrap().element);
  const tokens = readEntries(raw.tokens, 'tokens', shape.tokens.unwrap().element);
  const http = shape.http.safeParse(raw.http);
  const execute = shape.execute.safeParse(raw.execute);
  const database = shape.database.safeParse(raw.database);
  const queue = shape.queue.safeParse(raw.queue);
  const { stores, faults: storeFaults } = await resolveStores({
    database: database.data ?? {},
    queue: queue.data ?? {},
    env,
    dir,
    home,
  });

  const own: ConfigFault[] = [
    ...(checked.error?.issues ?? []).flatMap((issue) => describeConfigIssue(configSchema, issue, yaml.value)),
    ...packs.faults,
    ...packs.loaded.flatMap(({ entry, pack }) =>
      Object.keys(entry.value.routes).flatMap((ref) =>
        checkRefName(known, pack.id, ref, [...entry.path, 'routes', ref]),
      ),
    ),
    ...checkDoubledIds('source', sources),
    ...checkDoubledIds('wake', wakes),
    ...checkDoubledIds('token', tokens),
    ...checkSources(sources, known, vendors, http.data?.public_url),
    ...checkQueues(sources, shape.sinks.safeParse(raw.sinks).data?.inbox_queue?.name),
    ...checkWakes(wakes, known, execute.success ? (execute.data ?? 'absent') : null),
    ...(execute.data === undefined ? [] : checkExecuteGrants(execute.data, known)),
    ...storeFaults,
  ];
  const faults = [
    ...own
      .map((fault) => ({ ...fault, line: yaml.lineOf(fault.path) }))
      .sort((a, b) => a.line - b.line)
      .map(({ path, line, message }) => `${formatPath(path) || '(top level)'} (line ${line}): ${message}`),
    ...packs.missing,
    ...packs.faulty,
  ];
  if (faults.length > 0 || !checked.success) {
    const code = codeOf({ own: own.length, missing: packs.missing.length, faulty: packs.faulty.length });
    const detail = `${label} has ${faults.length} fault${faults.length === 1 ? '' : 's'}`;
    throw new CodedError(code, detail, { faults });
  }

  const config = deepFreeze(absolutePaths(checked.data, dir));
  const loadedPacks = packs.loaded.map(({ entry, pack }): [string, LoadedPack] => [
    pack.id,
    { pack, routes: new Map(Object.entries(entry.value.routes)) },
  ]);
  const readSecrets = () => resolveSecrets({ config, dir, env, role });
  return Object.freeze({
    file,
    dir,
    home,
    config,
    packs: new Map(loadedPacks),
    secrets: await readSecrets(),
    readSecrets,
    stores,
    wakeRules: deepFreeze(readWakeRules(config)),
  });
};
