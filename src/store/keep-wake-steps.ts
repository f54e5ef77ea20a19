import type { Pool, PoolClient } from 'pg';
import type { StepOutcome } from '../domain/execute.ts';

/**
 * Writes down the steps that a running wake has done and lengthens its claim, so that after a kill the next runner goes
 * on with the step that follows.
 * @returns the new claim, or null where the old one no longer holds: another runner took over, and this one must stop.
 */
export const keepWakeSteps = async (
  db: Pool | PoolClient,
  wake: { id: string; claim: string },
  steps: readonly StepOutcome[],
  claimMs: number,
): Promise<string | null> => {
  const { rows } = await db.query<{ claim: string }>({
    name: 'keep-wake-steps',
    text: `update sense.wakes
      set steps = $3::json, claimed_until = clock_timestamp() + $4::float8 * interval '1 millisecond'
      where wake_id = $1 and state = 'running' and claimed_until = $2::timestamptz
      returning claimed_until::text as claim`,
    values: [wake.id, wake.claim, JSON.stringify(steps), claimMs],
  });
  return rows[0]?.claim ?? null;
};
