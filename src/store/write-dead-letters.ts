import type { PoolClient } from 'pg';
import type { Announcement } from '../domain/announcement.ts';
import { safeText } from '../domain/safe-text.ts';

export type NewDeadLetter = { id: string; announcement: Announcement; reason: string };

/**
 * Keeps announcements that could not be recorded for a fault in themselves, whole, so that a person can look and replay.
 * Everything that may hold hostile text is made safe first: this path must not fail on what the other one failed on.
 */
export const writeDeadLetters = async (
  client: PoolClient,
  letters: readonly NewDeadLetter[],
): Promise<void> => {
  const column = <T>(read: (letter: NewDeadLetter) => T): T[] => letters.map(read);
  const text = (read: (announcement: Announcement) => string): string[] =>
    letters.map(({ announcement }) => safeText(String(read(announcement))));
  await client.query({
    name: 'write-dead-letters',
    text: sql,
    values: [
      column(({ id }) => id),
      text(({ source }) => source),
      text(({ delivery }) => delivery),
      text(({ pack }) => pack),
      text(({ ref }) => ref),
      text(({ event }) => event),
      column(({ reason }) => safeText(reason, 1024)),
      // JSON.stringify escapes NUL and lone surrogates, so the text column takes what json would refuse.
      column(({ announcement }) => JSON.stringify(announcement)),
      column(({ announcement }) =>
        Number.isNaN(Date.parse(announcement.receivedAt)) ? null : announcement.receivedAt,
      ),
    ],
  });
};

const sql = `
insert into sense.dead_letters (
  dead_letter_id, source_id, delivery_id, pack_id, ref, event_id, reason, announcement, received_at)
select id, source, delivery, pack, ref, event, reason, announcement, coalesce(received_at, now())
from unnest(
  $1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::timestamptz[]
) as letter (id, source, delivery, pack, ref, event, reason, announcement, received_at)
`;
