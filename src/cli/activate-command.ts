import { Argument, Command } from 'commander';
import { applyDirectory } from '../store/apply-directory.ts';
import { checkPack } from './check-pack.ts';
import { openDatabase } from './open-database.ts';

/** `hcp-sense activate PACK on|off`: Sense for everybody on one pack; Execute is not touched. */
export const activateCommand = (): Command =>
  new Command('activate')
    .summary('turn Sense on or off for a pack')
    .description(
      'Off: providers still get their 2xx, and nothing is delivered. It changes nothing for commands. Takes effect before it returns.',
    )
    .argument('<pack>', 'id of a loaded pack')
    .addArgument(new Argument('<state>', 'on or off').choices(['on', 'off']))
    .option('-c, --config <file>', 'configuration (default: SENSE_CONFIG, else ./sense.yaml)')
    .option('--json', 'print { pack, sense, change }')
    .addHelpText('after', '\nExample:\n  hcp-sense activate mail off')
    .action(async (pack: string, state: 'on' | 'off', options: { json?: boolean }, command: Command) => {
      const [change] = await openDatabase(command, ({ pool, loaded }) => {
        checkPack(loaded, pack);
        return applyDirectory(pool, {
          principals: [],
          bindings: [],
          grants: [],
          activation: { [pack]: state },
        });
      });
      const unchanged = change?.change === 'unchanged';
      console.log(
        options.json
          ? JSON.stringify({ pack, sense: state, change: change?.change })
          : `Sense is ${state} for ${pack}${unchanged ? ' already' : ' now'}`,
      );
    });
