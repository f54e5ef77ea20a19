import { join, resolve } from 'node:path';
import type { Pack } from '../domain/pack.ts';
import { formatPath } from '../policy/format-path.ts';
import type { Entry, KnownPacks } from './check-references.ts';
import type { ConfigFault } from './describe-config-issue.ts';
import { readPack } from './read-pack.ts';
import type { YamlFile } from './read-yaml.ts';
import type { Config } from './schema.ts';

type PackEntry = Entry<Config['packs'][number]>;

/** What became of `packs[]`. `missing` and `faulty` are whole messages, `faults` still want their line. */
export type PackReport = {
  known: KnownPacks;
  loaded: Array<{ entry: PackEntry; pack: Pack }>;
  missing: string[];
  faulty: string[];
  faults: ConfigFault[];
};

/** Reads and lints every pack of the configuration; the lines of a pack's faults are those of its own files. */
export const loadPacks = async (
  entries: readonly PackEntry[],
  dir: string,
  lineOf: YamlFile['lineOf'],
): Promise<PackReport> => {
  const report: PackReport = {
    known: { byId: new Map(), complete: true },
    loaded: [],
    missing: [],
    faulty: [],
    faults: [],
  };
  const byId = new Map<string, Pack>();
  for (const entry of entries) {
    const at = `${formatPath([...entry.path, 'dir'])} (line ${lineOf([...entry.path, 'dir'])})`;
    const { pack, faults, missing } = await readPack(resolve(dir, entry.value.dir));
    if (missing.length > 0) {
      report.missing.push(`${at}: ${entry.value.dir} holds no readable ${missing.join(' and no ')}`);
    } else if (pack === null) {
      report.faulty.push(
        ...faults.map(
          ({ file, path, line, message }) =>
            `${join(entry.value.dir, file)} ${path} (line ${line}): ${message}`,
        ),
      );
    } else if (byId.has(pack.id)) {
      report.faults.push({ path: [...entry.path, 'dir'], message: `pack "${pack.id}" is loaded twice` });
    } else {
      byId.set(pack.id, pack);
      report.loaded.push({ entry, pack });
    }
  }
  const complete = report.missing.length === 0 && report.faulty.length === 0;
  return { ...report, known: { byId, complete } };
};
