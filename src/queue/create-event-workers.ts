import type { Logger } from 'pino';
import type { Batch } from '../domain/announcement.ts';
import { collectBatches } from './collect-batches.ts';
import type { Verdict } from './consume-jobs.ts';
import type { JobSource, TakenJob } from './create-job-source.ts';
import { insist } from './insist.ts';
import { eventQueueName } from './queue-names.ts';
import type { QueueStore } from './queue-store-of.ts';
import { readBatch } from './read-batch.ts';
import { runConsumer } from './run-consumer.ts';

/** How one partition moves in this process. Times are ms since the epoch. */
export type PartitionMoves = {
  partition: number;
  /** When a batch was last finished here; null: none yet. */
  movedAt: number | null;
  /** Since when the batch in hand is in hand; null: none is. */
  busySince: number | null;
  /** Failures in a row of the batch in hand; above 0 the database is away or something of ours is broken. */
  failures: number;
};

type EventWorkersNeeds = {
  store: QueueStore;
  partitions: number;
  /**
   * Resolves when the batches are committed, together and in this order. A rejection means that they can't be now, and
   * they are handed in again.
   */
  handle: (batches: readonly Batch[]) => Promise<void>;
  /** Keeps a batch that must not run any more where people see it. Handed in again until it resolves. */
  bury: (batch: Batch, reason: string) => Promise<void>;
  log: Logger;
};

/**
 * Workers for all partitions: one job at a time in each, over all processes, in the order of acceptance (G8). While
 * jobs come in a row, those that wait behind the one in hand are handled along with it: the job in hand is the
 * partition's lock, so nobody else touches them. A batch may be handed in more than once (a killed worker, a lost
 * answer), so `handle` and `bury` are idempotent by its id.
 */
export const createEventWorkers = ({ store, partitions, handle, bury, log }: EventWorkersNeeds) => {
  const names = Array.from({ length: partitions }, (_, partition) => eventQueueName(partition));
  const moves = new Map<string, PartitionMoves>(
    names.map((name, partition) => [name, { partition, movedAt: null, busySince: null, failures: 0 }]),
  );

  const run = async (source: JobSource, job: TakenJob, stop: AbortSignal): Promise<Verdict> => {
    const { name: queue } = source;
    const read = readBatch(job);
    const move = moves.get(queue);
    if (move !== undefined) move.busySince = Date.now();
    const along = read.reason === null && job.inRow ? await collectBatches(source, job.data, read.batch) : [];
    const outcome = await insist(
      () => (read.reason === null ? handle([read.batch, ...along]) : bury(read.batch, read.reason)),
      stop,
      (error, failures) => {
        if (move !== undefined) move.failures = failures;
        const why = error instanceof Error ? error.message.slice(0, 300) : String(error);
        if (failures === 1) log.warn({ queue, batch: read.batch.id, why }, 'batch.waits');
      },
    );
    if (move !== undefined) Object.assign(move, { busySince: null, failures: 0 });
    if (!outcome.done) return { kind: 'release' };
    if (move !== undefined) move.movedAt = Date.now();
    // What can't be read can't be buried with its content: the job itself stays, in the failed set.
    if (read.keep) return { kind: 'fail', reason: read.reason };
    return { kind: 'done', along: along.map(({ id }) => id) };
  };

  const consumer = runConsumer({ store, names, loops: 1, limit: 1, run, what: 'event workers', log });
  return {
    /** For readiness: one entry per partition. */
    lastMoved: (): readonly PartitionMoves[] => [...moves.values()].map((move) => ({ ...move })),
    /** False while the queue store was never reached. */
    opened: consumer.opened,
    /** Within about 10 s: finishes the batches in hand or gives them back to the head of their partition. */
    close: (): Promise<void> => consumer.close(),
  };
};
