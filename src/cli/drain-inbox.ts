import { setTimeout } from 'node:timers/promises';
import { CodedError } from '../domain/errors.ts';
import { splitRecords } from './split-records.ts';

type DrainParts = {
  /** Calls the API and returns the answer's text. */
  call: (path: string, body: object, signal?: AbortSignal) => Promise<string>;
  /** Writes one line; false where nobody reads any more. */
  write: (line: string) => Promise<boolean>;
  /** Says something to the person who watches. */
  say: (words: string) => void;
  filter: { principal?: string; pack?: string; ref?: string };
  /** Go on waiting for records, through restarts of the server, until the signal. */
  follow: boolean;
  /** Records at most; null: all there are. */
  most: number | null;
  signal: AbortSignal;
};

const LEASE_RECORDS = 100;
const LEASE_SECONDS = 60;
const RETRY_MS = 2_000;

/**
 * Leases, writes, and acknowledges what was written. What was not written is released, so it is somebody else's at once.
 * A record whose acknowledgement got lost comes again: delivery is at least once.
 * @returns how many records were written
 */
export const drainInbox = async (parts: DrainParts): Promise<number> => {
  const { follow, most, signal, say } = parts;
  let drained = 0;
  while (!signal.aborted && (most === null || drained < most)) {
    try {
      const round = await drainOnce(
        parts,
        most === null ? LEASE_RECORDS : Math.min(LEASE_RECORDS, most - drained),
      );
      drained += round.written;
      if (round.broken || (round.empty && !follow)) break;
    } catch (error) {
      if (signal.aborted) break;
      if (!follow || !(error instanceof CodedError) || !error.retry) throw error;
      say(`${error.code}: ${error.message} Trying again.`);
      await setTimeout(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  return drained;
};

const drainOnce = async (
  { call, write, say, filter, follow, signal }: DrainParts,
  max: number,
): Promise<{ written: number; broken: boolean; empty: boolean }> => {
  const wish = { ...filter, max, lease_seconds: LEASE_SECONDS, wait_seconds: follow ? 20 : 0 };
  const text = await call('/v1/inbox/lease', wish, signal);
  const { lease_id: lease } = JSON.parse(text) as { lease_id: string | null };
  if (lease === null) return { written: 0, broken: false, empty: true };

  const records = splitRecords(text);
  let written = 0;
  let broken = false;
  for (const record of records) {
    // Between two lines, not within one: what was written is whole.
    if (signal.aborted) break;
    if (!(await write(record.line))) {
      broken = true;
      break;
    }
    written += 1;
  }
  const ids = records.map(({ id }) => id);
  const settle = async (verb: 'ack' | 'release', recordIds: string[]): Promise<void> => {
    if (recordIds.length === 0) return;
    try {
      await call(`/v1/inbox/${verb}`, { lease_id: lease, record_ids: recordIds });
    } catch (error) {
      if (!(error instanceof CodedError) || error.code !== 'LEASE_UNKNOWN') throw error;
      say(`The lease of ${recordIds.length} records ran out while they were written: they may come again.`);
    }
  };
  try {
    await settle('ack', ids.slice(0, written));
  } finally {
    await settle('release', ids.slice(written));
  }
  return { written, broken, empty: false };
};
