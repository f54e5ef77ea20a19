import type { Announcement } from '../domain/announcement.ts';

type Head = Omit<Announcement, 'data'> & { data?: string; n?: number };

const isHead = (head: unknown): head is Head => {
  if (typeof head !== 'object' || head === null) return false;
  const { source, delivery, pack, ref, event, eventHash, accounts, receivedAt, data, n } =
    head as Partial<Head>;
  return (
    [source, delivery, pack, ref, event, eventHash, receivedAt].every((field) => typeof field === 'string') &&
    Array.isArray(accounts) &&
    (typeof data === 'string' || (typeof n === 'number' && Number.isInteger(n) && n >= 0))
  );
};

/** What `encodeBatch` wrote, or null where the text is not that. */
export const decodeBatch = (text: string): readonly Announcement[] | null => {
  const end = text.indexOf('\n');
  const heads = end === -1 ? null : parse(text.slice(0, end));
  if (!Array.isArray(heads) || !heads.every(isHead)) return null;
  let at = end + 1;
  const announcements = heads.map(({ n, data, ...head }): Announcement => {
    if (data !== undefined) return { ...head, data };
    const from = at;
    at += n ?? 0;
    return { ...head, data: text.slice(from, at) };
  });
  return at === text.length ? announcements : null;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
