import type { Pool } from 'pg';

/** Milliseconds since 1970. */
export type SourceActivity = { source: string; since: number; acceptedAt: number | null };

/**
 * Keeps when sources last brought something, the latest of all processes, and returns what is known of them.
 * @param latest of this process, by source; null where it saw nothing. A source that is new is watched from now on.
 */
export const keepSourceActivity = async (
  db: Pool,
  latest: ReadonlyMap<string, number | null>,
): Promise<SourceActivity[]> => {
  // In one order in every process, or two would wait for each other's rows.
  const sources = [...latest.keys()].sort();
  const times = sources.map((source) => {
    const at = latest.get(source) ?? null;
    return at === null ? null : new Date(at);
  });
  await db.query(write, [sources, times]);
  const { rows } = await db.query<{ source_id: string; since: Date; accepted_at: Date | null }>(read, [
    sources,
  ]);
  return rows.map(({ source_id, since, accepted_at }) => ({
    source: source_id,
    since: since.getTime(),
    acceptedAt: accepted_at?.getTime() ?? null,
  }));
};

const write = `
insert into sense.source_activity as kept (source_id, accepted_at)
select * from unnest($1::text[], $2::timestamptz[])
on conflict (source_id) do update set accepted_at = greatest(kept.accepted_at, excluded.accepted_at)
where excluded.accepted_at is not null`;

const read = 'select source_id, since, accepted_at from sense.source_activity where source_id = any($1)';
