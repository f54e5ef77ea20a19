import { createHash } from 'node:crypto';
import type { Announcement } from '../domain/announcement.ts';

/**
 * The partition of an announcement, 0 ≤ n < `partitions`: events of one source and account share it, which keeps their
 * order (G8). Processes of different versions run side by side during an upgrade, so what this yields for the same
 * input may never change.
 */
export const partitionOf = (
  { source, binding, accounts }: Pick<Announcement, 'source' | 'binding' | 'accounts'>,
  partitions: number,
): number =>
  createHash('sha256')
    .update(JSON.stringify([source, binding ?? accounts[0] ?? '']))
    .digest()
    .readUInt32BE(0) % partitions;
