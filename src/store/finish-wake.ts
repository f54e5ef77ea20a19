import type { Pool, PoolClient } from 'pg';
import type { StepOutcome, WakeState } from '../domain/execute.ts';

/**
 * Ends a running wake.
 * @returns false where the claim no longer holds: then nothing was written, another runner decides.
 */
export const finishWake = async (
  db: Pool | PoolClient,
  wake: { id: string; claim: string },
  state: Exclude<WakeState, 'pending' | 'running'>,
  steps: readonly StepOutcome[],
): Promise<boolean> => {
  const { rowCount } = await db.query({
    name: 'finish-wake',
    text: `update sense.wakes
      set state = $3, steps = $4::json, claimed_until = null, finished_at = clock_timestamp()
      where wake_id = $1 and state = 'running' and claimed_until = $2::timestamptz`,
    values: [wake.id, wake.claim, state, JSON.stringify(steps)],
  });
  return rowCount === 1;
};
