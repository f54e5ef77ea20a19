import type { Batch } from '../domain/announcement.ts';
import type { TakenJob } from './create-job-source.ts';
import { decodeBatch } from './decode-batch.ts';

/** A batch to handle (`reason` null) or to bury. `keep`: its content could not be read, so the job must stay. */
export type ReadBatch =
  | { batch: Batch; reason: null; keep: false }
  | { batch: Batch; reason: string; keep: boolean };

/** What a job of a partition carries. Anything may stand in a shared store, so this never throws. */
export const readBatch = ({ id, data, doomed }: TakenJob): ReadBatch => {
  const announcements = decodeBatch(data);
  if (announcements === null) {
    return { batch: { id, announcements: [] }, reason: 'the job does not hold a batch of ours', keep: true };
  }
  const batch = { id, announcements };
  return doomed === null ? { batch, reason: null, keep: false } : { batch, reason: doomed, keep: false };
};
