import type { Announcement } from '../domain/announcement.ts';

/**
 * The announcements that `encodeBatch` put into a job, or null where `text`, the JSON of the job's data, is not that.
 * Anything may stand in a shared store, so this never throws.
 */
export const decodeBatch = (text: string): readonly Announcement[] | null => {
  const data = parse(text);
  if (typeof data !== 'object' || data === null || !('v' in data) || data.v !== 1) return null;
  if (!('announcements' in data) || !Array.isArray(data.announcements)) return null;
  const announcements = data.announcements.map((entry: unknown) =>
    typeof entry === 'string' ? parse(entry) : entry,
  );
  return announcements.every(isAnnouncement) ? announcements : null;
};

const isAnnouncement = (value: unknown): value is Announcement => {
  if (typeof value !== 'object' || value === null) return false;
  const { source, delivery, pack, ref, event, eventHash, receivedAt, data, accounts } =
    value as Partial<Announcement>;
  return (
    [source, delivery, pack, ref, event, eventHash, receivedAt, data].every(
      (field) => typeof field === 'string',
    ) && Array.isArray(accounts)
  );
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
