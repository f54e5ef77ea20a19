import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'pg';
import { uuidFloor } from '../domain/uuid-floor.ts';
import { listRecentInbox, type RecentRecord } from '../store/list-recent-inbox.ts';
import type { Scope } from '../store/scope.ts';
import type { InboxBell } from './create-inbox-bell.ts';

/**
 * Ids are made before their transaction commits, and commits are not in id order, so "greater than the last one" would
 * lose records. Each look goes back this far and leaves out what was sent.
 */
const LOOK_BACK_MS = 30_000;
/** Records of one look at most, the newest: a reader of a flood gets a part of it, and the worker stays free. */
const LOOK_LIMIT = 500;
const LOOK_EVERY_MS = 5_000;
const LOOK_PAUSE_MS = 250;
const BEAT_MS = 15_000;

/**
 * Server-sent events for records that come into an inbox from now on. Pulled by whoever writes them out, so a reader
 * that does not read holds no memory; ends when the signal is given or the bell is closed.
 */
export async function* watchInbox({
  pool,
  bell,
  scope,
  filter,
  signal,
}: {
  pool: Pool;
  bell: InboxBell;
  scope: Scope;
  filter: { principal?: string | undefined; pack?: string | undefined; ref?: string | undefined };
  signal: AbortSignal;
}): AsyncGenerator<string> {
  const look = (): Promise<RecentRecord[]> =>
    listRecentInbox(pool, scope, {
      ...filter,
      floor: uuidFloor(Date.now() - LOOK_BACK_MS),
      limit: LOOK_LIMIT,
    });
  const gone = (): boolean => signal.aborted || bell.closed();

  let rings = bell.rings();
  let sent = new Set((await look()).map((record) => record.record_id));
  let beatAt = Date.now();
  yield 'retry: 2000\n\n: watching\n\n';

  while (!gone()) {
    await bell.waitBeyond(rings, LOOK_EVERY_MS, signal);
    if (gone()) return;
    rings = bell.rings();
    const recent = await look();
    for (const record of recent) {
      if (!sent.has(record.record_id)) yield writeEvent(record);
    }
    sent = remember(sent, recent);
    if (Date.now() - beatAt >= BEAT_MS) {
      beatAt = Date.now();
      yield ': beat\n\n';
    }
    // A bell that never stops ringing must not become a query that never stops.
    await setTimeout(LOOK_PAUSE_MS);
  }
}

const writeEvent = (record: RecentRecord): string =>
  `id: ${record.record_id}\nevent: record\ndata: ${JSON.stringify(record)}\n\n`;

/** What is sent already and may turn up again: whatever is still within the look-back. */
const remember = (sent: ReadonlySet<string>, recent: readonly RecentRecord[]): Set<string> => {
  const floor = uuidFloor(Date.now() - LOOK_BACK_MS);
  return new Set([...[...sent].filter((id) => id >= floor), ...recent.map((record) => record.record_id)]);
};
