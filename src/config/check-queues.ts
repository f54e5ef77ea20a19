import type { Entry } from './check-references.ts';
import type { ConfigFault } from './describe-config-issue.ts';
import type { Config } from './schema.ts';

/** Queues that two sources would empty, or that we fill ourselves. BullMQ on Postgres knows no prefix, so none parts them. */
export const checkQueues = (
  sources: ReadonlyArray<Entry<Config['sources'][number]>>,
  inboxQueue: string | undefined,
): ConfigFault[] => {
  const takers = new Map<string, string>();
  return sources.flatMap(({ value: source, path }) => {
    if (source.type !== 'queue') return [];
    const { id, queue } = source;
    const fault = (message: string) => [{ path: [...path, 'queue'], message }];
    if (queue === inboxQueue)
      return fault(`"${queue}" is sinks.inbox_queue: what surfaces must not come in again`);
    const other = takers.get(queue);
    if (other !== undefined) return fault(`source "${other}" takes the jobs of "${queue}" already`);
    takers.set(queue, id);
    return [];
  });
};
