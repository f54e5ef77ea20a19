import { Command } from 'commander';
import { provePack } from './prove-pack.ts';

/** `hcp-sense prove PACK_DIR`: the two lines that a pack with Sense adds to the protocol's proof script (S26). */
export const proveCommand = (): Command =>
  new Command('prove')
    .description("run the proof script's two Sense lines for a pack against a throw-away instance")
    .argument('<pack-dir>', 'directory with surface.json and policy.json')
    .option('--json', 'print the outcome as JSON')
    .addHelpText(
      'after',
      `
Starts an embedded Postgres of its own in a temporary directory, announces every trigger of the pack once with
sense.enable on and once with it off, and ends it again. Exit 1 where a line does not hold.`,
    )
    .action(async (dir: string, options: { json?: boolean }) => {
      const proof = await provePack(dir);
      if (options.json) console.log(JSON.stringify(proof, null, 2));
      else {
        for (const { holds, line, found } of proof.lines)
          console.log(`${holds ? 'ok   ' : 'FAIL '}${line}\n       ${found}`);
      }
      if (!proof.holds) process.exitCode = 1;
    });
