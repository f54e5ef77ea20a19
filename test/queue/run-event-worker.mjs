// Run as a process of its own, from what `npm run build` made, to be killed in the middle of a batch: takes the first
// batch, says its id and never finishes it. Arguments: store URL, number of partitions.
import { pino } from 'pino';
import { createEventWorkers } from '../../dist/src/queue/create-event-workers.js';
import { queueStoreOf } from '../../dist/src/queue/queue-store-of.js';

const [url, partitions] = process.argv.slice(2);
createEventWorkers({
  store: queueStoreOf(url),
  partitions: Number(partitions),
  handle: ([batch]) => {
    process.stdout.write(`${batch.id}\n`);
    return new Promise(() => undefined);
  },
  bury: async () => undefined,
  log: pino({ level: 'silent' }),
});
