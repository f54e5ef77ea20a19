import { Command, CommanderError } from 'commander';
import { CodedError } from '../domain/errors.ts';
import { activateCommand } from './activate-command.ts';
import { applyCommand } from './apply-command.ts';
import { deadLettersCommand } from './dead-letters-command.ts';
import { doctorCommand } from './doctor-command.ts';
import { drainCommand } from './drain-command.ts';
import { dropsCommand } from './drops-command.ts';
import { explainCommand } from './explain-command.ts';
import { grantCommand } from './grant-command.ts';
import { lintCommand } from './lint-command.ts';
import { migrateCommand } from './migrate-command.ts';
import { proveCommand } from './prove-command.ts';
import { revokeCommand } from './revoke-command.ts';
import { sendCommand } from './send-command.ts';
import { startCommand } from './start-command.ts';
import { vendorsCommand } from './vendors-command.ts';

/** The commands, in the order in which an operator meets them. */
const commands = [
  startCommand,
  lintCommand,
  proveCommand,
  applyCommand,
  grantCommand,
  revokeCommand,
  activateCommand,
  vendorsCommand,
  sendCommand,
  drainCommand,
  explainCommand,
  dropsCommand,
  deadLettersCommand,
  doctorCommand,
  migrateCommand,
];

const afterHelp = `
The configuration is -c FILE, else SENSE_CONFIG, else ./sense.yaml.
Exit codes: 0 done · 1 the answer is no, or something is away · 2 misuse.

A first event:
  hcp-sense start                                   in one terminal, then in another
  hcp-sense send mail-hook --ref new_item           signed as the source's provider would
  hcp-sense drain                                   what an Invoker reads
  hcp-sense explain mail-hook DELIVERY_ID           what was decided, and why
`;

/**
 * Runs one command line.
 * @param argv the words after `hcp-sense`
 * @returns the exit code: 0 done, 1 the answer is no or something is away, 2 misuse
 */
export const runCli = async (argv: readonly string[]): Promise<number> => {
  const program = new Command('hcp-sense')
    .description('The Sense side of an HCP runtime: signed events in, attributable records out.')
    .addHelpText('after', afterHelp)
    .showHelpAfterError('(hcp-sense COMMAND --help shows what it takes)')
    .exitOverride();
  for (const command of commands) program.addCommand(command().exitOverride());

  try {
    await program.parseAsync(argv, { from: 'user' });
    return Number(process.exitCode ?? 0);
  } catch (error) {
    return report(error);
  }
};

const report = (error: unknown): number => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  if (error instanceof CodedError) {
    console.error(`hcp-sense: ${error.code}: ${error.message}`);
    for (const fault of error.faults) console.error(`  - ${fault}`);
    return error.retry ? 1 : 2;
  }
  console.error(
    `hcp-sense: unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
  return 1;
};
