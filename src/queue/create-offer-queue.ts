import type { Logger } from 'pino';
import { v7 as uuid } from 'uuid';
import { openProducer } from './open-producer.ts';
import { keyPrefix, offerQueueName } from './queue-names.ts';
import type { QueueStore } from './queue-store-of.ts';
import { storeFault } from './store-fault.ts';
import { withDeadline } from './with-deadline.ts';

type OfferQueueNeeds = { store: QueueStore; name: string; log: Logger };

const deadlineMs = 2500;
const idsPerJob = 1000;

/**
 * Offers ids of outbox rows to whoever works on them. An offer is a hint that makes things fast: the row in Postgres is
 * the truth, and what is lost here is offered again by the sweeper.
 */
export const createOfferQueue = ({ store, name, log }: OfferQueueNeeds) => {
  const queue = offerQueueName(name);
  const producer = openProducer({ store, names: [queue], prefix: keyPrefix, what: `offers of ${name}`, log });

  const add = async (ids: readonly string[], delay: number) => {
    const jobs = [];
    for (let from = 0; from < ids.length; from += idsPerJob) {
      jobs.push({
        name: 'offer',
        data: { ids: ids.slice(from, from + idsPerJob) },
        opts: { jobId: uuid(), delay },
      });
    }
    const target = await producer.queue(queue);
    await (jobs.length === 1 && jobs[0]
      ? target.add(jobs[0].name, jobs[0].data, jobs[0].opts)
      : target.addBulk(jobs));
  };

  return {
    /**
     * Resolves when the ids are in the queue, to be handed out after `delayMs`.
     *
     * @throws CodedError QUEUE_UNAVAILABLE or SHUTTING_DOWN, within 2.5 s
     */
    async offer(ids: readonly string[], delayMs = 0): Promise<void> {
      if (ids.length === 0) return;
      try {
        await withDeadline(add(ids, delayMs), deadlineMs, () => new Error('late'));
      } catch (error) {
        throw storeFault(error);
      }
    },
    close: (): Promise<void> => producer.close(),
  };
};
