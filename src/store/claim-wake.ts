import { createHash } from 'node:crypto';
import type { Pool, PoolClient } from 'pg';
import { notWithheldOf } from './not-withheld-of.ts';
import { type ClaimedWake, takeWake } from './take-wake.ts';

type ClaimTerms = {
  wakeId: string;
  rule: string;
  principal: string;
  /** Take every pending wake of the same rule and Principal along as one. */
  coalesce: boolean;
  /** Runs of this rule for this Principal in the last hour; null: no bound. */
  perPrincipalPerHour: number | null;
  /** Other due wakes of the same rule and Principal: where the budget is spent they end with this one, in one go. */
  companions: readonly string[];
  /** Milliseconds that the claim holds. It must be longer than a step can take. */
  claimMs: number;
};

type Claim = {
  /** Null where there was nothing to claim any more, or the budget is spent. */
  wake: ClaimedWake | null;
  suppressed: readonly string[];
  coalesced: readonly string[];
};

/**
 * Claims a wake for one run: of several that coalesce the oldest leads and the others end as `coalesced` beside it; over
 * budget what would lead ends as `suppressed`. A wake that has begun before is claimed alone and spends no budget again.
 * Claimers of one rule and Principal wait for each other, so neither can be raced; what has no such terms needs no wait.
 */
export const claimWake = async (pool: Pool, terms: ClaimTerms): Promise<Claim> => {
  if (!terms.coalesce && terms.perPrincipalPerHour === null) {
    return { wake: await takeWake(pool, terms.wakeId, terms.claimMs), suppressed: [], coalesced: [] };
  }
  const client = await pool.connect();
  let fault: Error | undefined;
  try {
    // Two statements: what follows must see what the claimer before us committed.
    await client.query(`begin; select pg_advisory_xact_lock(${lockKey(terms)})`);
    const claim = await claimLocked(client, terms);
    await client.query('commit');
    return claim;
  } catch (error) {
    fault = error instanceof Error ? error : new Error(String(error));
    throw error;
  } finally {
    // With a fault the connection is closed, and the server rolls back: nothing half claimed goes back to the pool.
    client.release(fault);
  }
};

const claimLocked = async (client: PoolClient, terms: ClaimTerms): Promise<Claim> => {
  const { wakeId, coalesce, claimMs } = terms;
  const waiting = await readWaiting(client, terms);
  const target = waiting.find(({ id }) => id === wakeId);
  // Begun before, or over meanwhile: either way it is alone.
  if (target === undefined) {
    return { wake: await takeWake(client, wakeId, claimMs), suppressed: [], coalesced: [] };
  }
  const lead = (coalesce ? waiting[0] : target) ?? target;
  const others = waiting.filter(({ id }) => id !== lead.id).map(({ id }) => id);
  const coalesced = coalesce ? others : [];
  const over = await isBudgetSpent(client, terms);
  const suppressed = over ? [lead.id, ...(coalesce ? [] : others)] : [];

  await endWaiting(client, suppressed, 'suppressed', null);
  await endWaiting(client, coalesced, 'coalesced', lead.id);
  const wake = over ? null : await takeWake(client, lead.id, claimMs, true);
  return { wake, suppressed, coalesced };
};

/** Wakes of the group that have not begun, oldest first: all of them where they coalesce, else those that are due. */
const readWaiting = async (client: PoolClient, terms: ClaimTerms): Promise<{ id: string }[]> => {
  const { wakeId, rule, principal, coalesce, companions } = terms;
  const visible = notWithheldOf('w.record_id', false);
  const { rows } = coalesce
    ? await client.query<{ id: string }>({
        name: 'read-waiting-group',
        text: `select w.wake_id as id from sense.wakes w
          where w.wake_rule = $1 and w.principal_id = $2 and w.state = 'pending' and w.started_at is null and ${visible}
            and exists (select from sense.wakes t where t.wake_id = $3 and t.due_at <= clock_timestamp())
          order by w.created_at, w.wake_id`,
        values: [rule, principal, wakeId],
      })
    : await client.query<{ id: string }>({
        name: 'read-waiting-due',
        text: `select w.wake_id as id from sense.wakes w
          where w.wake_id = any($1::uuid[]) and w.wake_rule = $2 and w.principal_id = $3 and w.state = 'pending'
            and w.started_at is null and w.due_at <= clock_timestamp() and ${visible}
          order by w.created_at, w.wake_id`,
        values: [[wakeId, ...companions], rule, principal],
      });
  return rows;
};

/** Counted no further than the budget: a Principal may have caused far more before it was set. */
const isBudgetSpent = async (client: PoolClient, terms: ClaimTerms): Promise<boolean> => {
  const { rule, principal, perPrincipalPerHour: budget } = terms;
  if (budget === null) return false;
  const { rows } = await client.query<{ runs: number }>({
    name: 'count-wake-runs',
    text: `select count(*)::int as runs from (
        select from sense.wakes where wake_rule = $1 and principal_id = $2
          and started_at > clock_timestamp() - interval '1 hour' limit $3::int
      ) counted`,
    values: [rule, principal, budget],
  });
  return (rows[0]?.runs ?? 0) >= budget;
};

const endWaiting = async (
  client: PoolClient,
  ids: readonly string[],
  state: 'suppressed' | 'coalesced',
  lead: string | null,
): Promise<void> => {
  if (ids.length === 0) return;
  await client.query({
    name: 'end-waiting-wakes',
    text: `update sense.wakes set state = $2, lead_wake_id = $3, finished_at = clock_timestamp()
      where wake_id = any($1::uuid[]) and state = 'pending'`,
    values: [ids, state, lead],
  });
};

/** One lock per rule and Principal; two that share a key by chance only wait for each other. A number, safe as SQL. */
const lockKey = ({ rule, principal }: ClaimTerms): bigint =>
  createHash('sha256').update(`sense.wakes\n${rule}\n${principal}`).digest().readBigInt64BE(0);
