import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { finishSurfacings } from '../store/finish-surfacings.ts';
import { readSurfacings } from '../store/read-surfacings.ts';
import type { Sink } from './sink.ts';
import { parseSurfacingId } from './surfacing-id.ts';

type SurfacerParts = { pool: Pool; sinks: readonly Sink[]; log: Logger };

export type Surfacer = {
  /**
   * Gives records to the sinks that still want them. Safe to call again with the same ids: what has surfaced is left out.
   * @param surfacingIds `<record id>_<sink>`
   * @throws the first sink's fault, after the other sinks had theirs; what was not taken stays open and is offered again.
   */
  surface(surfacingIds: readonly string[]): Promise<void>;
};

/** Works off sense.surfacings: read what is open, give it to its sink, and only then close it (G4). */
export const createSurfacer = ({ pool, sinks, log }: SurfacerParts): Surfacer => ({
  async surface(surfacingIds) {
    const wanted = groupBySink(surfacingIds);
    const known = new Set(sinks.map(({ name }) => name));
    const unknown = [...wanted.keys()].filter((name) => !known.has(name));
    // Left open: the sink may be configured in another process, or come back.
    if (unknown.length > 0) log.warn({ sinks: unknown }, 'surfacing.sink_unknown');

    const outcomes = await Promise.allSettled(
      sinks.map(async (sink) => {
        const ids = wanted.get(sink.name);
        if (ids === undefined) return;
        const records = await readSurfacings(pool, sink.name, ids);
        if (records.length === 0) return;
        await sink.surface(records);
        await finishSurfacings(
          pool,
          sink.name,
          records.map(({ record_id }) => record_id),
        );
        log.debug({ sink: sink.name, records: records.length }, 'record.surfaced');
      }),
    );
    const faults = outcomes
      .filter((outcome) => outcome.status === 'rejected')
      .map(({ reason }) => reason as unknown);
    for (const fault of faults) log.warn({ err: fault }, 'surfacing.failed');
    if (faults.length > 0) throw faults[0];
  },
});

const groupBySink = (ids: readonly string[]): Map<string, string[]> => {
  const groups = new Map<string, string[]>();
  for (const id of ids) {
    const parsed = parseSurfacingId(id);
    if (parsed === null) continue;
    const group = groups.get(parsed.sink);
    if (group === undefined) groups.set(parsed.sink, [parsed.recordId]);
    else group.push(parsed.recordId);
  }
  return groups;
};
