import { Command, Option } from 'commander';
import { type Capability, capabilities } from '../domain/directory.ts';
import { revokeCapability } from '../store/revoke-capability.ts';
import { checkPack } from './check-pack.ts';
import { openDatabase } from './open-database.ts';

/** `hcp-sense revoke PRINCIPAL PACK`: when it has returned, nothing more is recorded under what it took. */
export const revokeCommand = (): Command =>
  new Command('revoke')
    .summary('take a capability on a pack from a principal')
    .description(
      'When this has returned, no later commit records anything under it, events already queued included. Revoking what was\nnot granted is no fault.',
    )
    .argument('<principal>', 'id of a principal in the directory')
    .argument('<pack>', 'id of a loaded pack')
    .addOption(
      new Option('--capability <capability>', 'what to take').choices(capabilities).default('sense.enable'),
    )
    .option('-c, --config <file>', 'configuration (default: SENSE_CONFIG, else ./sense.yaml)')
    .option('--json', 'print { revoked: [grant id] }')
    .addHelpText('after', '\nExample:\n  hcp-sense revoke user_42 mail')
    .action(
      async (
        principal: string,
        pack: string,
        options: { capability: Capability; json?: boolean },
        command: Command,
      ) => {
        const revoked = await openDatabase(command, ({ pool, loaded }) => {
          checkPack(loaded, pack);
          return revokeCapability(pool, principal, options.capability, pack);
        });
        console.log(
          options.json
            ? JSON.stringify({ revoked })
            : revoked.length === 0
              ? `${principal} had no ${options.capability} on ${pack}`
              : `${principal} has no ${options.capability} on ${pack} any more`,
        );
      },
    );
