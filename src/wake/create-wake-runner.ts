import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { CodedError } from '../domain/errors.ts';
import type { WakeRule, WakeState } from '../domain/execute.ts';
import type { ExecClient } from '../exec-client/create-exec-client.ts';
import { claimWake } from '../store/claim-wake.ts';
import { failOrphanedWakes } from '../store/fail-orphaned-wakes.ts';
import { findOpenWakes, type OpenWake } from '../store/find-open-wakes.ts';
import { finishWake } from '../store/finish-wake.ts';
import type { ClaimedWake } from '../store/take-wake.ts';
import { isSelector, parseArgPath } from './parse-arg-path.ts';
import { defaultRetry, type RetryTerms } from './retry-delay.ts';
import { runWake } from './run-wake.ts';

type WakeRunnerParts = {
  pool: Pool;
  execute: ExecClient['execute'];
  rules: readonly WakeRule[];
  /** Puts wake ids on the offer queue; lost offers are made again by the sweeper. */
  offer: (ids: readonly string[], delayMs?: number) => Promise<void>;
  log: Logger;
  /** Called once for each wake that is over, with how it ended; for metrics. */
  onOutcome?: (state: WakeState) => void;
  retry?: RetryTerms;
  /** Milliseconds that a claim holds without a sign of life; longer than a step can take. */
  claimMs?: number;
  /** Wakes at a time in one call. */
  concurrency?: number;
  chance?: () => number;
};

export type WakeRunner = {
  /**
   * Runs those of the wakes that are due and not over. Safe to call again with the same ids, at the same time, anywhere.
   * @throws the first fault of the infrastructure, after all others have been tried; the wakes stay open.
   */
  run(ids: readonly string[]): Promise<void>;
};

/** Claims that never come to an end kill the process each time, or are killed with it: this many are enough. */
const MAX_CLAIMS = 25;

/**
 * The optional run after a record. It starts from committed rows only (S16, G4), so whatever the queue loses or repeats,
 * a wake is run to an end once.
 * @throws CodedError CONFIG_INVALID where a rule selects with something that is no path
 */
export const createWakeRunner = (parts: WakeRunnerParts): WakeRunner => {
  const { pool, offer, log, onOutcome = () => undefined, concurrency = 8 } = parts;
  const run = {
    ...parts,
    retry: parts.retry ?? defaultRetry,
    claimMs: parts.claimMs ?? 120_000,
    chance: parts.chance ?? Math.random,
  };
  const rules = new Map(parts.rules.map((rule) => [rule.id, rule]));
  checkSelectors(parts.rules);

  /** @param over ids that another claim of the same call has ended, so that this one need not ask */
  const runOne = async (open: OpenWake, due: readonly OpenWake[], over: Set<string>): Promise<void> => {
    if (over.has(open.id)) return;
    const rule = rules.get(open.rule);
    const { wake, suppressed, coalesced } = await claimWake(pool, {
      wakeId: open.id,
      rule: open.rule,
      principal: open.principal,
      coalesce: rule !== undefined && rule.coalesceMs > 0,
      perPrincipalPerHour: rule?.perPrincipalPerHour ?? null,
      companions: (rule?.perPrincipalPerHour ?? null) === null ? [] : companionsOf(open, due),
      claimMs: run.claimMs,
    });
    for (const id of suppressed) {
      over.add(id);
      onOutcome('suppressed');
    }
    for (const id of coalesced) {
      over.add(id);
      onOutcome('coalesced');
    }
    if (suppressed.length > 0) {
      log.warn({ rule: open.rule, principal: open.principal, wakes: suppressed.length }, 'wake.suppressed');
    }
    if (wake !== null) await runClaimed(wake, rule, coalesced.length);
  };

  const runClaimed = async (
    wake: ClaimedWake,
    rule: WakeRule | undefined,
    coalesced: number,
  ): Promise<void> => {
    if (wake.attempts > MAX_CLAIMS) {
      const { code, message } = new CodedError('WAKE_ABANDONED');
      const { pack_id: pack } = wake.record.head;
      const steps = [...wake.steps, { pack, verb: '', outcome: 'failed' as const, code, message }];
      if (await finishWake(pool, wake, 'failed', steps)) onOutcome('failed');
      log.error({ wake_id: wake.id, attempts: wake.attempts }, 'wake.abandoned');
      return;
    }
    const end = await runWake(run, wake, rule);
    log.info(
      {
        wake_id: wake.id,
        rule: rule?.id ?? null,
        record_id: wake.record.head.record_id,
        attempts: wake.attempts,
        coalesced,
        ...(end.kind === 'over' ? { state: end.state } : { state: end.kind }),
      },
      'wake.ran',
    );
    if (end.kind === 'over') onOutcome(end.state);
    if (end.kind === 'postponed') await offer([wake.id], end.delayMs);
  };

  return {
    async run(ids) {
      const open = await findOpenWakes(pool, ids);
      const standing = (name: OpenWake['standing']) => open.filter((wake) => wake.standing === name);
      const orphaned = await failOrphanedWakesOf(pool, standing('orphaned'));
      for (let count = orphaned; count > 0; count -= 1) onOutcome('failed');

      const free = standing('free');
      const due = oneOfEach(
        free.filter(({ waitMs }) => waitMs === 0),
        rules,
      );
      // A job can come a little before its row is due: two clocks.
      const early = free
        .filter(({ waitMs }) => waitMs > 0)
        .map((wake) => () => offer([wake.id], wake.waitMs));
      const over = new Set<string>();
      const faults = await settle(
        [...due.map((wake) => () => runOne(wake, due, over)), ...early],
        concurrency,
      );
      for (const fault of faults) log.error({ err: fault }, 'wake.faulted');
      if (faults.length > 0) throw faults[0];
    },
  };
};

/** Of wakes that coalesce one claim takes all, so only the oldest of each rule and Principal is claimed. */
const oneOfEach = (wakes: readonly OpenWake[], rules: ReadonlyMap<string, WakeRule>): OpenWake[] => {
  const seen = new Set<string>();
  return wakes.filter(({ rule, principal, begun }) => {
    if (begun || (rules.get(rule)?.coalesceMs ?? 0) === 0) return true;
    const key = `${rule}\n${principal}`;
    return !seen.has(key) && seen.add(key);
  });
};

const companionsOf = (wake: OpenWake, due: readonly OpenWake[]): string[] =>
  due
    .filter(({ rule, principal, begun }) => rule === wake.rule && principal === wake.principal && !begun)
    .map(({ id }) => id);

const failOrphanedWakesOf = async (pool: Pool, wakes: readonly OpenWake[]): Promise<number> =>
  wakes.length === 0
    ? 0
    : failOrphanedWakes(
        pool,
        wakes.map(({ id }) => id),
      );

/** Runs all, at most `limit` at a time, and returns what was thrown: one wake's fault is no reason to skip another. */
const settle = async (tasks: readonly (() => Promise<void>)[], limit: number): Promise<unknown[]> => {
  const faults: unknown[] = [];
  const queue = tasks.values();
  const lane = async (): Promise<void> => {
    for (const task of queue) await task().catch((error: unknown) => faults.push(error));
  };
  await Promise.all(Array.from({ length: Math.min(limit, tasks.length) }, lane));
  return faults;
};

const checkSelectors = (rules: readonly WakeRule[]): void => {
  const faults = rules.flatMap((rule) =>
    rule.steps.flatMap(({ args }, step) =>
      findSelectors(args)
        .filter((selector) => parseArgPath(selector) === null)
        .map(
          (selector) =>
            `wakes.${rule.id}.steps.${step}: ${selector} is not a path such as $.data.items[0].id`,
        ),
    ),
  );
  if (faults.length > 0) throw new CodedError('CONFIG_INVALID', faults.join('; '), { faults });
};

const findSelectors = (value: unknown): string[] => {
  if (isSelector(value)) return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(findSelectors) : [];
};
