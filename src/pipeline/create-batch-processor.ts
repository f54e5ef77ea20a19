import type { Logger } from 'pino';
import { type Batch, dropReasons } from '../domain/announcement.ts';
import type { RecordedBatches } from './create-batch-recorder.ts';

type ProcessorParts = {
  record: (batches: readonly Batch[]) => Promise<RecordedBatches>;
  /** Offer rows of the outbox to their queues. Failing is no loss: the sweeper offers them again. */
  offerWakes: (ids: readonly string[], delayMs: number) => Promise<void>;
  offerSurfacings: (rows: readonly { record: string; sink: string }[]) => Promise<void>;
  log: Logger;
  onRecorded: (outcome: RecordedBatches, tookMs: number) => void;
};

type BatchProcessor = {
  /** Rejects only where nothing was committed; then the queue keeps the job. */
  handle: (batches: readonly Batch[]) => Promise<void>;
  /** Resolves when no offer is under way; for the stop. */
  settled: () => Promise<void>;
};

/**
 * The worker's whole order for the batches that it holds: record and commit, say what happened, and only then offer what
 * that causes (S16, G4). Offers are hints, so the partition does not wait for them: the next batch is on its way
 * meanwhile.
 */
export const createBatchProcessor = ({
  record,
  offerWakes,
  offerSurfacings,
  log,
  onRecorded,
}: ProcessorParts): BatchProcessor => {
  const underWay = new Set<Promise<void>>();

  const offer = (what: string, run: () => Promise<void>): void => {
    const offered = run()
      .catch((error: unknown) => log.warn({ what, err: error }, 'outbox.offer_failed'))
      .finally(() => underWay.delete(offered));
    underWay.add(offered);
  };

  const handle = async (batches: readonly Batch[]): Promise<void> => {
    const started = performance.now();
    const outcome = await record(batches);
    const tookMs = performance.now() - started;
    report(log, batches, outcome, tookMs);
    onRecorded(outcome, tookMs);

    const surfacings = outcome.records.flatMap(({ id, sinks }) =>
      sinks.map((sink) => ({ record: id, sink })),
    );
    for (const [delayMs, ids] of wakesByDelay(outcome)) offer('wakes', () => offerWakes(ids, delayMs));
    if (surfacings.length > 0) offer('surfacings', () => offerSurfacings(surfacings));
  };

  return {
    handle,
    settled: async () => {
      await Promise.all(underWay);
    },
  };
};

const wakesByDelay = ({ records }: RecordedBatches): ReadonlyMap<number, string[]> => {
  const byDelay = new Map<number, string[]>();
  for (const { wakes } of records) {
    for (const { id, coalesceMs } of wakes) {
      const ids = byDelay.get(coalesceMs);
      if (ids === undefined) byDelay.set(coalesceMs, [id]);
      else ids.push(id);
    }
  }
  return byDelay;
};

/** One wide line per transaction; a line more for each reported drop, dead letter and changed duplicate. No payloads. */
const report = (log: Logger, batches: readonly Batch[], outcome: RecordedBatches, tookMs: number): void => {
  const dropped: Record<string, number> = {};
  for (const { drop } of outcome.drops) dropped[drop.reason] = (dropped[drop.reason] ?? 0) + 1;
  log.info(
    {
      batch: batches[0]?.id,
      batches: batches.length,
      announcements: batches.reduce((sum, batch) => sum + batch.announcements.length, 0),
      decided: outcome.decided,
      recorded: outcome.records.length,
      duplicates: outcome.duplicates.length,
      dropped,
      dead: outcome.deadLetters.length,
      ms: Math.round(tookMs * 10) / 10,
    },
    'batch.recorded',
  );
  for (const { announcement, drop } of outcome.drops) {
    if (!dropReasons[drop.reason]) continue;
    const { source, delivery, pack, ref, event } = announcement;
    log.warn(
      { source, delivery, pack, ref, event, reason: drop.reason, rule: drop.rule, why: drop.why },
      'announcement.dropped',
    );
  }
  for (const { announcement, reason } of outcome.deadLetters) {
    const { source, delivery, pack, ref, event } = announcement;
    log.error({ source, delivery, pack, ref, event, reason }, 'announcement.dead');
  }
};
