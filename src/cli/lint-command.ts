import { Command } from 'commander';
import { readPack } from '../config/read-pack.ts';
import type { Finding } from '../policy/finding.ts';

type Report = { dir: string; id: string | null; faults: Finding[]; warnings: Finding[] };

const count = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`;

const writeFinding =
  (kind: string) =>
  ({ file, path, line, column, message }: Finding): string =>
    `  ${kind}  ${file}:${line}:${column}  ${path}\n           ${message}`;

const writeReport = ({ dir, id, faults, warnings }: Report): string =>
  [
    `${dir}${id === null ? '' : `  (pack ${id})`}${faults.length + warnings.length === 0 ? '  ok' : ''}`,
    ...faults.map(writeFinding('fault  ')),
    ...warnings.map(writeFinding('warning')),
  ].join('\n');

/** `hcp-sense lint PACK_DIR…`: every fault of every pack at once; exit code 1 where there is any. */
export const lintCommand = (): Command =>
  new Command('lint')
    .summary('check packs: surface.json, policy.json and that they agree')
    .description(
      'Prints every fault of each pack with file, line and JSON path, and warns of triggers that read like a command,\na poll, a timer or a health check. Warnings keep no pack from loading. Exit code 1 if there is a fault.',
    )
    .argument('<pack-dir...>', 'directories that hold surface.json and policy.json')
    .option('--json', 'print { ok, packs: [{ dir, id, faults, warnings }] }')
    .addHelpText('after', '\nExample:\n  hcp-sense lint packs/mail packs/issues')
    .action(async (dirs: string[], options: { json?: boolean }) => {
      const reports = await Promise.all(
        dirs.map(async (dir): Promise<Report> => {
          const { pack, faults, warnings } = await readPack(dir);
          return { dir, id: pack?.id ?? null, faults, warnings };
        }),
      );
      const faults = reports.reduce((sum, report) => sum + report.faults.length, 0);
      const warnings = reports.reduce((sum, report) => sum + report.warnings.length, 0);
      if (options.json) {
        console.log(JSON.stringify({ ok: faults === 0, packs: reports }, null, 2));
      } else {
        console.log(reports.map(writeReport).join('\n'));
        console.log(
          `${count(reports.length, 'pack')}, ${count(faults, 'fault')}, ${count(warnings, 'warning')}`,
        );
      }
      if (faults > 0) process.exitCode = 1;
    });
