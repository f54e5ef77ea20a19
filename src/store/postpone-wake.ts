import type { Pool, PoolClient } from 'pg';
import type { StepOutcome } from '../domain/execute.ts';

/**
 * Puts a running wake back to pending after a transient failure, due again in `delayMs`.
 * @returns false where the claim no longer holds: then nothing was written, another runner decides.
 */
export const postponeWake = async (
  db: Pool | PoolClient,
  wake: { id: string; claim: string },
  steps: readonly StepOutcome[],
  delayMs: number,
): Promise<boolean> => {
  const { rowCount } = await db.query({
    name: 'postpone-wake',
    text: `update sense.wakes
      set state = 'pending', steps = $3::json, claimed_until = null, offered_at = clock_timestamp(),
        due_at = clock_timestamp() + $4::float8 * interval '1 millisecond'
      where wake_id = $1 and state = 'running' and claimed_until = $2::timestamptz`,
    values: [wake.id, wake.claim, JSON.stringify(steps), delayMs],
  });
  return rowCount === 1;
};
