import { Command } from 'commander';
import { callApi, writeQuery } from './call-api.ts';
import { addApiOptions, findApi } from './find-api.ts';
import { readCount } from './read-count.ts';

type Options = { source?: string; pack?: string; reason?: string; limit: number; json?: boolean };
type Drop = {
  dropped_at: string;
  source_id: string;
  delivery_id: string;
  pack_id: string;
  ref: string;
  reason: string;
  why: string;
};

/** `hcp-sense drops`: what was not recorded and why, newest first. */
export const dropsCommand = (): Command =>
  addApiOptions(
    new Command('drops')
      .summary('list what was dropped and why, newest first')
      .description('Metadata only: the payload of what is dropped is not kept.')
      .option('--source <source>', 'sources[].id')
      .option('--pack <pack>', 'pack id')
      .option('--reason <reason>', 'for instance sense_not_granted, ref_undeclared, binding_unknown')
      .option('--limit <count>', 'at most so many, up to 1000', readCount, 20)
      .option('--json', 'print what the API answers'),
  )
    .addHelpText('after', '\nExample:\n  hcp-sense drops --reason sense_not_granted')
    .action(async ({ json, ...filter }: Options, command: Command) => {
      const { source, pack, reason, limit } = filter;
      const api = await findApi(command, 'admin');
      const text = await callApi(api, 'GET', `/v1/drops${writeQuery({ source, pack, reason, limit })}`);
      console.log(
        json ? text : writeDrops(JSON.parse(text) as { drops: Drop[]; next_cursor: string | null }),
      );
    });

const writeDrops = ({ drops, next_cursor: next }: { drops: Drop[]; next_cursor: string | null }): string =>
  drops.length === 0
    ? 'nothing was dropped'
    : [
        ...drops.map(
          (drop) =>
            `${drop.dropped_at}  ${drop.reason}  ${drop.pack_id}/${drop.ref}  ${drop.source_id} ${drop.delivery_id}\n  ${drop.why}`,
        ),
        ...(next === null ? [] : ['… there is more: --limit']),
      ].join('\n');
