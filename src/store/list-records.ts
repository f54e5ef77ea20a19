import type { Pool, PoolClient } from 'pg';
import type { SenseRecord } from '../domain/record.ts';
import { ANSWER_BYTES, type RecordRow, recordColumns, toRecord } from './record-row.ts';
import { inScope, notWithheld, type Scope, scopeValues } from './scope.ts';

export type RecordFilter = {
  delivery?: string | undefined;
  source?: string | undefined;
  principal?: string | undefined;
  pack?: string | undefined;
  ref?: string | undefined;
  route?: 'inbox' | 'silent' | undefined;
  /** Id of the last record of the page before. */
  before?: string | undefined;
  limit: number;
};

/**
 * Visible records, newest first. This is for browsing: a record committed late can appear behind a page already read,
 * which is why Invokers lease instead of paging.
 * @returns the page, and whether there is more behind it.
 */
export const listRecords = async (
  db: Pool | PoolClient,
  scope: Scope,
  filter: RecordFilter,
): Promise<{ records: SenseRecord[]; more: boolean }> => {
  const { rows } = await db.query<RecordRow & { found: number }>(
    `with page as materialized (
       select ${recordColumns} from sense.records r
       where ${inScope} and ${notWithheld}
         and ($3::text is null or r.delivery_id = $3)
         and ($4::text is null or r.source_id = $4)
         and ($5::text is null or r.principal_id = $5)
         and ($6::text is null or r.pack_id = $6)
         and ($7::text is null or r.ref = $7)
         and ($8::text is null or r.route = $8)
         and ($9::uuid is null or r.record_id < $9)
       order by r.record_id desc limit $10
     ), sized as (
       select *, count(*) over ()::int as found,
         sum(octet_length(data)) over (order by record_id desc) - octet_length(data) as bytes_before
       from page
     )
     select * from sized where bytes_before < ${ANSWER_BYTES} order by record_id desc`,
    [
      ...scopeValues(scope),
      filter.delivery,
      filter.source,
      filter.principal,
      filter.pack,
      filter.ref,
      filter.route,
      filter.before,
      filter.limit + 1,
    ],
  );
  const records = rows.slice(0, filter.limit).map(toRecord);
  return { records, more: (rows[0]?.found ?? 0) > records.length };
};
