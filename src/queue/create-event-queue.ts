import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import { v7 as uuid } from 'uuid';
import type { Announcement } from '../domain/announcement.ts';
import { CodedError } from '../domain/errors.ts';
import { createGroupCommit } from './create-group-commit.ts';
import { encodeBatch } from './encode-batch.ts';
import { openProducer } from './open-producer.ts';
import { partitionOf } from './partition-of.ts';
import { pause } from './pause.ts';
import { probeStore, type StoreFacts } from './probe-store.ts';
import { eventQueueName, keyPrefix } from './queue-names.ts';
import type { QueueStore } from './queue-store-of.ts';
import { storeFault } from './store-fault.ts';
import { withDeadline } from './with-deadline.ts';

export type PartitionDepth = { partition: number; waiting: number; active: number; failed: number };

type EventQueueNeeds = {
  store: QueueStore;
  partitions: number;
  /** Batches waiting over all partitions before `enqueue` says QUEUE_FULL. */
  maxWaiting: number;
  log: Logger;
  /** Called with the size of each batch that was added. */
  onBatch?: (announcements: number) => void;
};

/** Ingress answers within 3 s whatever the store does; this leaves it time to answer. */
const enqueueDeadlineMs = 2500;
const maxBatchItems = 500;
const maxBatchBytes = 1024 * 1024;
/** What may wait in memory for a batch of its own, over all partitions, before `enqueue` says QUEUE_FULL. */
const maxBacklogItems = 20_000;
const maxBacklogBytes = 64 * 1024 * 1024;
const depthEveryMs = 500;

/** The way into the queue: partitions, group commit, and answers in time even when the store gives none. */
export const createEventQueue = ({ store, partitions, maxWaiting, log, onBatch }: EventQueueNeeds) => {
  const names = Array.from({ length: partitions }, (_, partition) => eventQueueName(partition));
  const producer = openProducer({ store, names, prefix: keyPrefix, what: 'event queue', log });
  const closing = new AbortController();
  let full = false;
  let used = false;

  const groups = names.map((name) =>
    createGroupCommit<Announcement>({
      sizeOf: ({ data, accounts }) => data.length + 64 * accounts.length + 512,
      maxItems: maxBatchItems,
      maxBytes: maxBatchBytes,
      // All requests that were read in this turn of the loop ride together; it waits for nothing that is not here.
      gather: () => setImmediate(),
      async commit(announcements) {
        const queue = await producer.queue(name);
        await queue.add('batch', encodeBatch(announcements), { jobId: uuid() });
        onBatch?.(announcements.length);
      },
    }),
  );

  const backlogIsFull = (): boolean => {
    const sum = { items: 0, bytes: 0 };
    for (const group of groups) {
      const { items, bytes } = group.backlog();
      sum.items += items;
      sum.bytes += bytes;
    }
    return sum.items >= maxBacklogItems || sum.bytes >= maxBacklogBytes;
  };

  const depth = async (): Promise<PartitionDepth[]> =>
    withDeadline(
      Promise.all(
        names.map(async (name, partition) => ({
          partition,
          ...(await (await producer.queue(name)).counts()),
        })),
      ),
      enqueueDeadlineMs,
      () => new CodedError('QUEUE_UNREACHABLE'),
    );

  // Beside the requests, never in one: what counts is that it can't grow without bound, not the exact number.
  const watchDepth = async () => {
    while (!closing.signal.aborted) {
      const from = Date.now();
      if (used || full) {
        used = false;
        const depths = await depth().catch(() => null);
        if (depths !== null) {
          const now = depths.reduce((sum, { waiting }) => sum + waiting, 0) >= maxWaiting;
          if (now !== full) log.warn({ maxWaiting }, now ? 'queue.full' : 'queue.takes_again');
          full = now;
        }
      }
      // A long queue takes Postgres a while to count: at most a tenth of the time goes there.
      await pause(Math.max(depthEveryMs, 10 * (Date.now() - from)), closing.signal);
    }
  };
  void watchDepth();

  return {
    /**
     * Resolves when every announcement is in the queue, within 2.5 s. After a rejection some may be in it all the
     * same; handing them in again is harmless, the record table knows them.
     *
     * @throws CodedError QUEUE_FULL, QUEUE_UNAVAILABLE or SHUTTING_DOWN
     */
    async enqueue(announcements: readonly Announcement[]): Promise<void> {
      if (closing.signal.aborted) throw new CodedError('SHUTTING_DOWN');
      if (full) throw new CodedError('QUEUE_FULL');
      if (backlogIsFull())
        throw new CodedError('QUEUE_FULL', 'Too many deliveries wait to be added to the queue');
      used = true;
      const shares = new Map<number, Announcement[]>();
      for (const announcement of announcements) {
        const partition = partitionOf(announcement, partitions);
        const share = shares.get(partition);
        if (share === undefined) shares.set(partition, [announcement]);
        else share.push(announcement);
      }
      const pushed = [...shares].flatMap(([partition, share]) => groups[partition]?.push(share) ?? []);
      try {
        const all = Promise.all(pushed.map(({ done }) => done));
        await withDeadline(
          all,
          enqueueDeadlineMs,
          () => new Error(`no answer within ${enqueueDeadlineMs} ms`),
        );
      } catch (error) {
        for (const { abandon } of pushed) abandon();
        throw storeFault(error);
      }
    },
    /** Batches per partition. @throws CodedError QUEUE_UNREACHABLE */
    depth,
    /** A real write, and what should be said about the store. @throws CodedError QUEUE_UNREACHABLE */
    probe: (): Promise<StoreFacts> => probeStore(producer.store, () => producer.queue(eventQueueName(0))),
    /** Adds what was accepted, for at most the deadline of `enqueue`, then disconnects. */
    async close(): Promise<void> {
      closing.abort();
      const settled = Promise.all(groups.map((group) => group.settled()));
      await withDeadline(settled, enqueueDeadlineMs, () => new Error('late')).catch(() => undefined);
      await producer.close();
    },
  };
};
