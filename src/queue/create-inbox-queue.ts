import type { Logger } from 'pino';
import { openProducer } from './open-producer.ts';
import type { QueueStore } from './queue-store-of.ts';
import { storeFault } from './store-fault.ts';
import { withDeadline } from './with-deadline.ts';

/** The data of a job in the inbox queue (contract). The payload is not in it: read the record by its id. */
export type InboxJob = {
  record_id: string;
  tenant_id: string;
  principal_id: string;
  pack_id: string;
  ref: string;
};

type InboxQueueNeeds = { store: QueueStore; name: string; log: Logger };

const deadlineMs = 2500;

/**
 * The sink `inbox_queue`: one job per record, for BullMQ workers that are not ours. So it has BullMQ's own prefix, and
 * options that serve a plain `new Worker(name, …)`. The job's id comes from the record's, so a record that is offered
 * twice is one job; finished ones are kept for an hour for that, bounded in number.
 */
export const createInboxQueue = ({ store, name, log }: InboxQueueNeeds) => {
  const producer = openProducer({ store, names: [name], prefix: 'bull', what: `inbox queue ${name}`, log });
  const add = async (records: readonly InboxJob[]) => {
    const queue = await producer.queue(name);
    await queue.addBulk(
      records.map((record) => ({
        name: record.ref,
        data: record,
        opts: {
          jobId: `record-${record.record_id}`,
          attempts: 10,
          backoff: { type: 'exponential', delay: 1000 },
          removeOnComplete: { age: 3600, count: 10_000 },
          removeOnFail: { age: 7 * 24 * 3600, count: 10_000 },
        },
      })),
    );
  };
  return {
    /**
     * Resolves when a job for each record is in the queue.
     *
     * @throws CodedError QUEUE_UNAVAILABLE or SHUTTING_DOWN, within 2.5 s
     */
    async addRecords(records: readonly InboxJob[]): Promise<void> {
      if (records.length === 0) return;
      try {
        await withDeadline(add(records), deadlineMs, () => new Error('late'));
      } catch (error) {
        throw storeFault(error);
      }
    },
    close: (): Promise<void> => producer.close(),
  };
};
