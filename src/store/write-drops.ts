import type { PoolClient } from 'pg';
import type { Announcement } from '../domain/announcement.ts';
import type { Drop } from '../domain/decision.ts';
import { safeText } from '../domain/safe-text.ts';

export type NewDrop = { id: string; announcement: Announcement; drop: Drop };

/** Writes why announcements were dropped: metadata only, never their payload (G6). */
export const writeDrops = async (client: PoolClient, drops: readonly NewDrop[]): Promise<void> => {
  const column = <T>(read: (drop: NewDrop) => T): T[] => drops.map(read);
  await client.query({
    name: 'write-drops',
    text: sql,
    values: [
      column(({ id }) => id),
      column(({ announcement }) => announcement.source),
      column(({ announcement }) => announcement.delivery),
      column(({ announcement }) => safeText(announcement.pack)),
      column(({ announcement }) => safeText(announcement.ref)),
      column(({ announcement }) => announcement.event),
      column(({ drop }) => drop.binding),
      column(({ drop }) => drop.reason),
      column(({ drop }) => drop.rule),
      column(({ drop }) => safeText(drop.why, 1024)),
      column(({ announcement }) => announcement.receivedAt),
    ],
  });
};

const sql = `
insert into sense.drops (
  drop_id, source_id, delivery_id, pack_id, ref, event_id, binding_id, reason, rule, why, received_at)
select * from unnest(
  $1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
  $10::text[], $11::timestamptz[])
`;
