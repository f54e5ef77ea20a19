import type { Pool, PoolClient } from 'pg';
import type { Logger } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { Announcement, Batch } from '../domain/announcement.ts';
import type { Facts } from '../domain/decision.ts';
import type { WakeRule } from '../domain/execute.ts';
import type { Packs } from '../domain/pack.ts';
import { decide } from '../policy/decide.ts';
import { claimBatches } from '../store/claim-batches.ts';
import { inTransaction } from '../store/in-transaction.ts';
import { isDataFault } from '../store/is-data-fault.ts';
import { directoryLockSql } from '../store/lock-directory.ts';
import { type NewDeadLetter, writeDeadLetters } from '../store/write-dead-letters.ts';
import { type NewDrop, writeDrops } from '../store/write-drops.ts';
import { writeDuplicates } from '../store/write-duplicates.ts';
import { type NewRecord, writeRecords } from '../store/write-records.ts';

type RecorderParts = {
  pool: Pool;
  packs: Packs;
  wakeRules: readonly WakeRule[];
  /** Names of the sinks that surface records of route `inbox`. */
  sinks: readonly string[];
  log: Logger;
};

/** What batches became. The outbox rows in it are committed and still have to be offered. */
export type RecordedBatches = {
  /** How many announcements were decided: all but those of batches that an earlier run had committed. */
  decided: number;
  records: readonly NewRecord[];
  drops: readonly NewDrop[];
  duplicates: readonly NewRecord[];
  deadLetters: readonly NewDeadLetter[];
};

/**
 * The recorder: the batches that wait in one partition, one transaction. Under the shared directory lock it reads the
 * facts, decides each announcement and writes records, drops, duplicates and outbox rows; all of it is committed
 * together or not at all.
 *
 * Four round trips for all of them. What Postgres refuses for its data is run again with savepoints and halved until the
 * poison is alone; that one becomes a dead letter, the others are recorded, still in one transaction.
 *
 * @throws whatever the infrastructure throws; nothing is committed then, and the same batches may be given again.
 */
export const createBatchRecorder = (
  parts: RecorderParts,
): { record: (batches: readonly Batch[]) => Promise<RecordedBatches> } => {
  const { pool, log } = parts;
  const plan = createPlanner(parts);

  return {
    async record(batches) {
      try {
        return await claimAndRun(pool, batches, (client, announcements, factsOf) =>
          write(client, plan(announcements, factsOf)),
        );
      } catch (error) {
        if (!isDataFault(error)) throw error;
        log.warn({ batches: batches.map(({ id }) => id), err: error }, 'batch.refused');
        return claimAndRun(pool, batches, (client, announcements, factsOf) =>
          isolate(client, announcements, factsOf, plan),
        );
      }
    },
  };
};

type FactsOf = (announcement: Announcement) => Facts;
type Outcome = Omit<RecordedBatches, 'decided'>;

const claimAndRun = (
  pool: Pool,
  batches: readonly Batch[],
  run: (client: PoolClient, announcements: readonly Announcement[], factsOf: FactsOf) => Promise<Outcome>,
): Promise<RecordedBatches> =>
  inTransaction(
    pool,
    async (client) => {
      const { fresh, factsOf } = await claimBatches(client, batches);
      const announcements = fresh.flatMap((batch) => batch.announcements);
      const outcome = await run(client, announcements, factsOf);
      return { decided: announcements.length, ...outcome };
    },
    // Two statements, and the facts in a third: they are read with the lock already held.
    `begin; ${directoryLockSql('shared')}`,
  );

type Planned = { records: NewRecord[]; drops: NewDrop[]; deadLetters: NewDeadLetter[] };

const createPlanner = ({ packs, wakeRules, sinks }: RecorderParts) => {
  const rulesFor = ({ pack, ref }: Announcement): readonly WakeRule[] =>
    wakeRules.filter(({ on }) => on.pack === pack && on.ref === ref);

  return (announcements: readonly Announcement[], factsOf: FactsOf): Planned => {
    const planned: Planned = { records: [], drops: [], deadLetters: [] };
    for (const announcement of announcements) {
      const decisions = attempt(() => decide(announcement, factsOf(announcement), packs));
      if (decisions instanceof Error) {
        planned.deadLetters.push({
          id: uuidv7(),
          announcement,
          reason: `deciding failed: ${decisions.message}`,
        });
        continue;
      }
      for (const decision of decisions) {
        if (decision.kind === 'drop') {
          planned.drops.push({ id: uuidv7(), announcement, drop: decision });
          continue;
        }
        planned.records.push({
          id: uuidv7(),
          announcement,
          decision,
          wakes: rulesFor(announcement).map(({ id, coalesceMs }) => ({ id: uuidv7(), rule: id, coalesceMs })),
          sinks: decision.route === 'inbox' ? sinks : [],
        });
      }
    }
    return planned;
  };
};

/** A decision that throws is the announcement's fault or ours; either way it must not hold up the others. */
const attempt = <T>(run: () => T): T | Error => {
  try {
    return run();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
};

const write = async (client: PoolClient, { records, drops, deadLetters }: Planned): Promise<Outcome> => {
  const written = records.length > 0 ? await writeRecords(client, records) : new Set<string>();
  const duplicates = written.size === records.length ? [] : records.filter(({ id }) => !written.has(id));
  if (duplicates.length > 0) await writeDuplicates(client, duplicates);
  if (drops.length > 0) await writeDrops(client, drops);
  if (deadLetters.length > 0) await writeDeadLetters(client, deadLetters);
  return {
    records: duplicates.length === 0 ? records : records.filter(({ id }) => written.has(id)),
    drops,
    duplicates,
    deadLetters,
  };
};

const isolate = async (
  client: PoolClient,
  announcements: readonly Announcement[],
  factsOf: FactsOf,
  plan: ReturnType<typeof createPlanner>,
): Promise<Outcome> => {
  await client.query('savepoint part');
  try {
    const outcome = await write(client, plan(announcements, factsOf));
    await client.query('release savepoint part');
    return outcome;
  } catch (error) {
    if (!isDataFault(error)) throw error;
    await client.query('rollback to savepoint part; release savepoint part');
    const [first, ...others] = announcements;
    if (first === undefined) throw error;
    if (others.length === 0) {
      const reason = error instanceof Error ? error.message : String(error);
      const deadLetters = [{ id: uuidv7(), announcement: first, reason: `recording failed: ${reason}` }];
      return write(client, { records: [], drops: [], deadLetters });
    }
    const middle = Math.ceil(announcements.length / 2);
    // In order, not side by side: one connection, and events of one account keep theirs (G8).
    return mergeOutcomes([
      await isolate(client, announcements.slice(0, middle), factsOf, plan),
      await isolate(client, announcements.slice(middle), factsOf, plan),
    ]);
  }
};

const mergeOutcomes = (outcomes: readonly Outcome[]): Outcome => ({
  records: outcomes.flatMap(({ records }) => records),
  drops: outcomes.flatMap(({ drops }) => drops),
  duplicates: outcomes.flatMap(({ duplicates }) => duplicates),
  deadLetters: outcomes.flatMap(({ deadLetters }) => deadLetters),
});
