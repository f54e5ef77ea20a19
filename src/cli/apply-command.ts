import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import { readYaml } from '../config/read-yaml.ts';
import { type ParsedDirectory, parseDirectory } from '../domain/directory-schema.ts';
import { CodedError } from '../domain/errors.ts';
import type { Packs } from '../domain/pack.ts';
import { formatPath } from '../policy/format-path.ts';
import { applyDirectory, type Change } from '../store/apply-directory.ts';
import { openDatabase } from './open-database.ts';

/** `hcp-sense apply FILE`: upserts a directory, all or nothing, and says what changed. */
export const applyCommand = (): Command =>
  new Command('apply')
    .summary('upsert principals, bindings, grants and activation from a file')
    .description(
      'All or nothing, and as often as you like: what is the same stays as it is, what the file does not name is left alone.\nTakes effect before it returns, for queued events too.',
    )
    .argument('<file>', 'directory in YAML; - reads standard input')
    .option('-c, --config <file>', 'configuration (default: SENSE_CONFIG, else ./sense.yaml)')
    .option('--json', 'print { changes: [{ kind, id, change }] }')
    .addHelpText('after', '\nExample:\n  hcp-sense apply examples/quickstart/directory.yaml')
    .action(async (file: string, options: { json?: boolean }, command: Command) => {
      const written = await readText(file);
      const changes = await openDatabase(command, ({ pool, loaded }) =>
        applyDirectory(
          pool,
          readDirectory(written, file, { tenant: loaded.config.tenant, packs: loaded.packs }),
        ),
      );
      console.log(options.json ? JSON.stringify({ changes }) : writeChanges(changes));
    });

const readText = async (file: string): Promise<string> => {
  try {
    return file === '-' ? await text(process.stdin) : await readFile(file, 'utf8');
  } catch (cause) {
    throw new CodedError('USAGE', `${file} can't be read`, { cause });
  }
};

/** @throws CONFIG_YAML, or DIRECTORY_INVALID with every fault, its path and its line */
const readDirectory = (
  written: string,
  label: string,
  known: { tenant: string; packs: Packs },
): ParsedDirectory => {
  const yaml = readYaml(written, label);
  const parsed = parseDirectory(yaml.value, known);
  if (parsed.ok) return parsed.directory;
  const faults = parsed.faults
    .map((fault) => ({ ...fault, line: yaml.lineOf(fault.path) }))
    .sort((a, b) => a.line - b.line)
    .map(({ path, line, message }) => `${formatPath(path) || '(top level)'} (line ${line}): ${message}`);
  const detail = faults.length === 1 ? `${label}: ${faults[0]}` : `${label} has ${faults.length} faults`;
  throw new CodedError('DIRECTORY_INVALID', detail, { faults });
};

const writeChanges = (changes: readonly Change[]): string => {
  const count = (change: Change['change']): number => changes.filter((each) => each.change === change).length;
  return [
    ...changes
      .filter(({ change }) => change !== 'unchanged')
      .map(({ kind, id, change }) => `${change}  ${kind} ${id}`),
    `${count('created')} created, ${count('updated')} updated, ${count('unchanged')} unchanged`,
  ].join('\n');
};
