import { Command } from 'commander';
import { callApi, writeQuery } from './call-api.ts';
import { addApiOptions, findApi } from './find-api.ts';
import { readCount } from './read-count.ts';

type Letter = {
  dead_letter_id: string;
  died_at: string;
  source_id: string;
  delivery_id: string;
  pack_id: string;
  ref: string;
  reason: string;
};
type Page = { dead_letters: Letter[]; next_cursor: string | null };

/** `hcp-sense dead-letters [replay ID]`: what could not be recorded for a fault in itself, and another try. */
export const deadLettersCommand = (): Command =>
  addApiOptions(
    new Command('dead-letters')
      .summary('list what could not be recorded, or replay one of it')
      .description(
        'An announcement that the database refuses for its data is set apart here, so that the others go on. A replay is\ndecided anew, with the directory as it is now.',
      )
      .option('--limit <count>', 'at most so many, up to 1000', readCount, 20)
      .option('--json', 'print what the API answers'),
  )
    .addHelpText('after', '\nExamples:\n  hcp-sense dead-letters\n  hcp-sense dead-letters replay ID')
    .action(async (options: { limit: number; json?: boolean }, command: Command) => {
      const api = await findApi(command, 'admin');
      const text = await callApi(api, 'GET', `/v1/dead-letters${writeQuery({ limit: options.limit })}`);
      console.log(options.json ? text : writeLetters(JSON.parse(text) as Page));
    })
    .addCommand(
      addApiOptions(
        new Command('replay')
          .summary('put one into the queue again')
          .argument('<id>', 'as dead-letters lists it')
          .option('--json', 'print what the API answers')
          // Of its own: the program sets it for its commands, not for theirs.
          .exitOverride(),
      ).action(async (id: string, _options: object, command: Command) => {
        // An option that both know is the parent's, wherever it stands.
        const options = command.optsWithGlobals<{ json?: boolean }>();
        const api = await findApi(command, 'admin');
        const text = await callApi(api, 'POST', `/v1/dead-letters/${encodeURIComponent(id)}/replay`);
        console.log(options.json ? text : `${id} is in the queue again`);
      }),
    );

const writeLetters = ({ dead_letters: letters, next_cursor: next }: Page): string =>
  letters.length === 0
    ? 'there are no dead letters'
    : [
        ...letters.map(
          (letter) =>
            `${letter.dead_letter_id}  ${letter.died_at}  ${letter.pack_id}/${letter.ref}  ${letter.source_id} ${letter.delivery_id}\n  ${letter.reason}`,
        ),
        ...(next === null ? [] : ['… there is more: --limit']),
      ].join('\n');
