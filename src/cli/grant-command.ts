import { Command, Option } from 'commander';
import { capabilities } from '../domain/directory.ts';
import { parseDirectory } from '../domain/directory-schema.ts';
import { CodedError } from '../domain/errors.ts';
import { applyDirectory } from '../store/apply-directory.ts';
import { checkPack } from './check-pack.ts';
import { openDatabase } from './open-database.ts';

type Options = { capability: string; verb?: string[]; json?: boolean };

/** `hcp-sense grant PRINCIPAL PACK`: one capability, on one pack, to one Principal. */
export const grantCommand = (): Command =>
  new Command('grant')
    .summary('grant a capability on a pack to a principal')
    .description(
      'Capabilities stay apart: sense.enable lets events be recorded and authorises no command, and the others enable no Sense.',
    )
    .argument('<principal>', 'id of a principal in the directory')
    .argument('<pack>', 'id of a loaded pack')
    .addOption(
      new Option('--capability <capability>', 'what to grant').choices(capabilities).default('sense.enable'),
    )
    .option('--verb <verb...>', 'only these commands of the pack (verb.exec.*)')
    .option('-c, --config <file>', 'configuration (default: SENSE_CONFIG, else ./sense.yaml)')
    .option('--json', 'print { id, change }')
    .addHelpText('after', '\nExample:\n  hcp-sense grant user_42 mail')
    .action(async (principal: string, pack: string, options: Options, command: Command) => {
      const { capability, verb } = options;
      const change = await openDatabase(command, async ({ pool, loaded }) => {
        checkPack(loaded, pack);
        const parsed = parseDirectory(
          { grants: [{ principal, capability, pack, ...(verb === undefined ? {} : { verb_keys: verb }) }] },
          { tenant: loaded.config.tenant, packs: loaded.packs },
        );
        if (!parsed.ok) {
          throw new CodedError('USAGE', parsed.faults.map(({ message }) => message).join('; '));
        }
        return (await applyDirectory(pool, parsed.directory))[0];
      });
      if (change === undefined) throw new Error('grant: applying one grant yields one change');
      console.log(
        options.json
          ? JSON.stringify({ id: change.id, change: change.change })
          : change.change === 'unchanged'
            ? `${principal} has ${capability} on ${pack} already`
            : `${principal} has ${capability} on ${pack} now`,
      );
    });
