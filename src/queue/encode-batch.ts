import type { Announcement } from '../domain/announcement.ts';

/**
 * Announcements as one text: a JSON array of heads, a newline, then the payloads one behind the other (`n` is how many
 * UTF-16 units of them are a head's own).
 *
 * Payloads stay outside the JSON because BullMQ writes job data as JSON once more: nested twice, every quote of a
 * payload would become four characters, read and written at each step. And they are inside it, escaped, where they
 * hold NUL or a lone surrogate: Postgres refuses the first in `jsonb`, UTF-8 can't carry the second.
 */
export const encodeBatch = (announcements: readonly Announcement[]): string => {
  const payloads: string[] = [];
  const heads = announcements.map((announcement) => {
    const { data, ...head } = announcement;
    if (data.includes('\0') || !data.isWellFormed()) return announcement;
    payloads.push(data);
    return { ...head, n: data.length };
  });
  return `${JSON.stringify(heads)}\n${payloads.join('')}`;
};
