import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import type { LoadResult } from '../load/load-orders.ts';

/** A subject's table of records, with `received_at` and `recorded_at`. */
export type Records = { url: string; relation: string };

export type Delays = {
  /** From accept to the row's own `recorded_at`, milliseconds. */
  recorded: { p50: number; p99: number };
  /** From accept to the transaction's commit, milliseconds: when others can see it. */
  committed: { p50: number; p99: number };
  events: number;
};

const drainWithinMs = 60_000;

/** Rows recorded inside the window (epoch milliseconds). Asked afterwards, so that counting costs the subject nothing. */
export const countRecorded = (records: Records, from: number, to: number): Promise<number> =>
  ask(records.url, async (client) => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from ${records.relation}
       where recorded_at >= to_timestamp($1 / 1000.0) and recorded_at < to_timestamp($2 / 1000.0)`,
      [from, to],
    );
    return rows[0]?.count ?? 0;
  });

/** @throws when what was accepted is not all recorded within a minute: a subject that loses is not measured */
export const readDelays = (records: Records, { from, to, acceptedInAll }: LoadResult): Promise<Delays> =>
  ask(records.url, async (client) => {
    for (const deadline = Date.now() + drainWithinMs; ; await sleep(200)) {
      const count = await countAll(client, records.relation);
      if (count === acceptedInAll) break;
      if (count > acceptedInAll || Date.now() > deadline) {
        throw new Error(`${acceptedInAll} events were accepted and ${count} recorded in ${records.relation}`);
      }
    }
    const { rows } = await client.query<{
      events: number;
      recorded: [number, number];
      committed: [number, number];
    }>(
      `with delays as (
         select
           extract(epoch from recorded_at - received_at)::float8 * 1000 as recorded,
           extract(epoch from pg_xact_commit_timestamp(xmin) - received_at)::float8 * 1000 as committed
         from ${records.relation}
         where received_at >= to_timestamp($1 / 1000.0) and received_at < to_timestamp($2 / 1000.0)
       )
       select
         count(*)::int as events,
         percentile_cont(array[0.5, 0.99]) within group (order by recorded) as recorded,
         percentile_cont(array[0.5, 0.99]) within group (order by committed) as committed
       from delays`,
      [from, to],
    );
    const row = rows[0];
    if (row === undefined || row.events === 0)
      throw new Error(`no records in the window of ${records.relation}`);
    const pair = ([p50, p99]: [number, number]) => ({ p50, p99 });
    return { recorded: pair(row.recorded), committed: pair(row.committed), events: row.events };
  });

export const countAll = async (client: Client, relation: string): Promise<number> => {
  const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from ${relation}`);
  return rows[0]?.count ?? 0;
};

export const ask = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};
