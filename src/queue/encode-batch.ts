import type { Announcement } from '../domain/announcement.ts';

/** The data of a partition's job. An entry that is a string holds its announcement as JSON text. */
export type BatchData = { v: 1; announcements: readonly (Announcement | string)[] };

/**
 * A batch as job data, which BullMQ writes as JSON. In that, NUL would stand as \u0000 and a lone surrogate as \udxxx,
 * and Postgres refuses both in `jsonb`. An announcement that holds one is written as JSON text first: then the escapes
 * are themselves escaped, and Postgres sees a backslash and letters. (Doing so with all would cost three times as much.)
 */
export const encodeBatch = (announcements: readonly Announcement[]): BatchData => ({
  v: 1,
  announcements: announcements.map((announcement) =>
    isPlain(announcement) ? announcement : JSON.stringify(announcement),
  ),
});

const isPlain = (announcement: Announcement): boolean =>
  Object.values(announcement).every((value) => {
    if (typeof value === 'string') return isPlainText(value);
    if (Array.isArray(value)) return value.every(isPlainText);
    return value === null || Object.values(value).every((text) => isPlainText(String(text)));
  });

const isPlainText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
