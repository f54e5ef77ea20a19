/** Whether a partition moves: when it last recorded a batch here, how much waits, and whether it is stuck. */
export type PartitionState = {
  partition: number;
  /** Batches that wait for their turn. */
  waiting: number;
  /** RFC 3339; null where this process has recorded none of it yet, or records none at all. */
  last_moved_at: string | null;
  stuck: boolean;
};

type Depth = { partition: number; waiting: number };
type Moves = { partition: number; movedAt: number | null; busySince: number | null };

/**
 * Puts together what the queue says and what this process's workers did. A batch that has been in hand for longer than
 * `stuckMs` is stuck: the database is away, or something of ours is.
 * @param now milliseconds since 1970
 */
export const describePartitions = (
  depths: readonly Depth[],
  moves: readonly Moves[],
  now: number,
  stuckMs: number,
): readonly PartitionState[] => {
  const moveOf = new Map(moves.map((move) => [move.partition, move]));
  return depths.map(({ partition, waiting }) => {
    const move = moveOf.get(partition);
    const movedAt = move?.movedAt ?? null;
    return {
      partition,
      waiting,
      last_moved_at: movedAt === null ? null : new Date(movedAt).toISOString(),
      stuck: move?.busySince != null && now - move.busySince > stuckMs,
    };
  });
};
