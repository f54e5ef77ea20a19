import type { Batch } from '../domain/announcement.ts';
import type { PeekedJob } from './create-job-source.ts';
import { decodeBatch } from './decode-batch.ts';

/** A batch to handle (`reason` null) or to bury. `keep`: its content could not be read, so the job must stay. */
export type ReadBatch =
  | { batch: Batch; reason: null; keep: false }
  | { batch: Batch; reason: string; keep: boolean };

/** Ids of ours are UUIDs in Postgres' spelling: the pipeline compares them with what it reads back. */
const batchId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What a job of a partition carries. Anything may stand in a shared store, so this never throws. */
export const readBatch = ({ id, data, doomed }: PeekedJob): ReadBatch => {
  const announcements = decodeBatch(data);
  if (announcements === null || !batchId.test(id)) {
    return { batch: { id, announcements: [] }, reason: 'the job does not hold a batch of ours', keep: true };
  }
  const batch = { id, announcements };
  return doomed === null ? { batch, reason: null, keep: false } : { batch, reason: doomed, keep: false };
};
