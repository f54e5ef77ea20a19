import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { CodedError } from '../domain/errors.ts';
import type { StepOutcome, WakeRule, WakeState } from '../domain/execute.ts';
import { safeText } from '../domain/safe-text.ts';
import type { ExecClient } from '../exec-client/create-exec-client.ts';
import { finishWake } from '../store/finish-wake.ts';
import { keepWakeSteps } from '../store/keep-wake-steps.ts';
import { postponeWake } from '../store/postpone-wake.ts';
import type { ClaimedWake } from '../store/take-wake.ts';
import { type RetryTerms, retryDelay } from './retry-delay.ts';
import { selectArgs } from './select-args.ts';

export type RunWakeParts = {
  pool: Pool;
  execute: ExecClient['execute'];
  retry: RetryTerms;
  claimMs: number;
  /** In [0, 1); spreads retries. */
  chance: () => number;
  log: Logger;
};

export type RunWakeEnd =
  /** `postponed` is due again in `delayMs`; `lost`: another runner took over, and nothing was written. */
  { kind: 'over'; state: FinalState } | { kind: 'postponed'; delayMs: number } | { kind: 'lost' };

type FinalState = Exclude<WakeState, 'pending' | 'running'>;
type Step = WakeRule['steps'][number];

/**
 * Runs the steps of a claimed wake in order and stops at the first that is not done: what comes after it must not act on
 * what did not happen. Each outcome is written down before the next step begins, and the key of a step is
 * `<wake id>:<step>` on every attempt, so a runner that is killed in between repeats one call at most, under the same key.
 */
export const runWake = async (
  parts: RunWakeParts,
  wake: ClaimedWake,
  rule: WakeRule | undefined,
): Promise<RunWakeEnd> => {
  const { pool, claimMs } = parts;
  const done = leadingDone(wake.steps);
  const before = wake.steps[done.length];
  if (rule === undefined) return stop(parts, wake, done, countTry(ruleUnknown(wake), before, parts.retry));

  let claim = wake.claim;
  for (let index = done.length; index < rule.steps.length; index += 1) {
    const step = rule.steps[index] as Step;
    const outcome = await runStep(parts, wake, step, index);
    const held = { ...wake, claim };
    if (outcome.outcome !== 'done') {
      const earlier = index === wake.steps.length - 1 ? before : undefined;
      return stop(parts, held, done, countTry(outcome, earlier, parts.retry));
    }
    done.push(outcome);
    if (index === rule.steps.length - 1) break;
    const renewed = await keepWakeSteps(pool, held, done, claimMs);
    if (renewed === null) return { kind: 'lost' };
    claim = renewed;
  }
  return end(parts, { ...wake, claim }, 'done', done);
};

const runStep = async (
  { execute, log }: RunWakeParts,
  wake: ClaimedWake,
  { pack, verb, args }: Step,
  index: number,
): Promise<StepOutcome> => {
  const selected = selectArgs(args, wake.record);
  if (!selected.ok) {
    const error = new CodedError(
      'EXEC_ARGUMENT_MISSING',
      `${safeText(selected.missing, 128)} selects nothing`,
    );
    return { pack, verb, outcome: 'denied', code: error.code, message: error.message };
  }
  const context = { tenantId: wake.record.head.tenant_id, projectId: wake.projectId };
  try {
    return await execute({ pack, verb, args: selected.args }, context, `${wake.id}:${index}`);
  } catch (error) {
    // The client's outcomes are values, so this is a fault of ours. Whether it ran is not known; the key is the same.
    log.error({ err: error, wake_id: wake.id, step: index }, 'wake.step_threw');
    const fault = new CodedError('INTERNAL', undefined, { cause: error });
    return { pack, verb, outcome: 'failed', code: fault.code, message: fault.message, transient: true };
  }
};

/** Ends the wake with the step that stopped it, or puts it back where trying again may help. */
const stop = async (
  parts: RunWakeParts,
  wake: ClaimedWake,
  done: readonly StepOutcome[],
  outcome: StepOutcome,
): Promise<RunWakeEnd> => {
  const steps = [...done, outcome];
  if (outcome.transient !== true) return end(parts, wake, outcome.outcome, steps);
  const delayMs = retryDelay(outcome.tries ?? 1, parts.retry, parts.chance());
  const kept = await postponeWake(parts.pool, wake, steps, delayMs);
  return kept ? { kind: 'postponed', delayMs } : { kind: 'lost' };
};

const end = async (
  { pool }: RunWakeParts,
  wake: ClaimedWake,
  state: FinalState,
  steps: readonly StepOutcome[],
): Promise<RunWakeEnd> =>
  (await finishWake(pool, wake, state, steps)) ? { kind: 'over', state } : { kind: 'lost' };

const leadingDone = (steps: readonly StepOutcome[]): StepOutcome[] => {
  const first = steps.findIndex(({ outcome }) => outcome !== 'done');
  return first === -1 ? [...steps] : steps.slice(0, first);
};

/** A transient failure counts; the last one that is allowed is final. A kill is no try: only outcomes are counted. */
const countTry = (
  outcome: StepOutcome,
  earlier: StepOutcome | undefined,
  { maxTries }: RetryTerms,
): StepOutcome => {
  if (outcome.transient !== true) return outcome;
  const tries = (earlier?.tries ?? 0) + 1;
  if (tries < maxTries) return { ...outcome, tries };
  const { transient: _, ...final } = outcome;
  return { ...final, tries };
};

/** Another process may know the rule (a roll-out in progress), so this waits like any fault that may pass. */
const ruleUnknown = ({ record }: ClaimedWake): StepOutcome => {
  const { code, message } = new CodedError('WAKE_RULE_UNKNOWN');
  return { pack: record.head.pack_id, verb: '', outcome: 'failed', code, message, transient: true };
};
