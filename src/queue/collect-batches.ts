import type { Batch } from '../domain/announcement.ts';
import type { JobSource } from './create-job-source.ts';
import { readBatch } from './read-batch.ts';

/** What one transaction should carry at most; the batch in hand may be larger by itself. */
const maxItems = 500;
const maxBytes = 1024 * 1024;
const maxJobs = 48;

/**
 * The batches that wait behind the one in hand, as far as they fit into one transaction with it, in their order. It ends
 * before a job that must not run or can't be read: that one is dealt with alone, in its turn. A store that does not
 * answer yields none.
 *
 * @param inHand the data of the job in hand, whose size tells how many of its like fit
 */
export const collectBatches = async (
  source: JobSource,
  inHand: string,
  head: Batch,
): Promise<readonly Batch[]> => {
  const limit = Math.min(maxJobs, Math.floor(maxBytes / Math.max(inHand.length, 1)));
  if (limit < 1 || head.announcements.length >= maxItems) return [];
  const waiting = await source.peek(limit).catch(() => []);
  const along: Batch[] = [];
  let items = head.announcements.length;
  let bytes = inHand.length;
  for (const job of waiting) {
    const { batch, reason } = readBatch(job);
    items += batch.announcements.length;
    bytes += job.data.length;
    if (reason !== null || items > maxItems || bytes > maxBytes) break;
    along.push(batch);
  }
  return along;
};
