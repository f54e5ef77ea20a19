import { Command } from 'commander';
import { callApi, writeQuery } from './call-api.ts';
import { addApiOptions, findApi } from './find-api.ts';

type Explanation = {
  found: boolean;
  complete: boolean;
  summary: string;
  decisions: {
    outcome: string;
    at: string;
    pack_id: string;
    ref: string;
    event_id: string;
    binding_id: string | null;
    rule: string;
    why: string;
    record_id: string | null;
    reason: string | null;
  }[];
};

/** `hcp-sense explain SOURCE DELIVERY_ID`: every decision about a delivery; exit code 1 where nothing is known. */
export const explainCommand = (): Command =>
  addApiOptions(
    new Command('explain')
      .summary('say what became of a delivery, and which rule decided')
      .argument('<source>', 'sources[].id')
      .argument('<delivery-id>', "the provider's delivery id, as send prints it")
      .option('--json', 'print what the API answers'),
  )
    .addHelpText('after', '\nExample:\n  hcp-sense explain mail-hook msg_01')
    .action(async (source: string, delivery: string, options: { json?: boolean }, command: Command) => {
      const api = await findApi(command, 'admin');
      const text = await callApi(api, 'GET', `/v1/explain${writeQuery({ source, delivery_id: delivery })}`);
      const explanation = JSON.parse(text) as Explanation;
      console.log(options.json ? text : writeExplanation(explanation));
      if (!explanation.found) process.exitCode = 1;
    });

const writeExplanation = ({ summary, decisions, complete }: Explanation): string =>
  [
    summary,
    ...decisions.map((decision) => {
      const { outcome, at, pack_id, ref, event_id, binding_id, rule, why, record_id, reason } = decision;
      const line = (name: string, value: string | null): string[] =>
        value === null ? [] : [`  ${name.padEnd(8)} ${value}`];
      return [
        '',
        `${outcome.toUpperCase().replace('_', ' ')}  ${pack_id}/${ref}  event ${event_id}  ${at}`,
        ...line('rule', reason === null ? rule : `${rule} (${reason})`),
        ...line('why', why),
        ...line('binding', binding_id),
        ...line('record', record_id),
      ].join('\n');
    }),
    ...(complete ? [] : ['', 'There is more; only the first 500 of a kind are shown.']),
  ].join('\n');
