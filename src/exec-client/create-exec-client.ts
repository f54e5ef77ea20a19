import type { Logger } from 'pino';
import { CodedError } from '../domain/errors.ts';
import type { StepOutcome } from '../domain/execute.ts';
import type { Packs } from '../domain/pack.ts';
import { safeText } from '../domain/safe-text.ts';
import { checkStep } from './check-step.ts';
import type { ExecDriver, ExecGrant } from './driver.ts';
import { findConfirmation } from './find-confirmation.ts';
import { judgeAnswer } from './judge-answer.ts';
import { parseAnswer } from './parse-answer.ts';

type ExecClientParts = {
  /** An in-process runtime, or `createRemoteDriver` for one behind HTTP. */
  driver: ExecDriver;
  /** Execute's own grants (`execute.grants`); nothing else authorises a command here. */
  grants: readonly ExecGrant[];
  packs: Packs;
  /** Who Execute says it is (`execute.principal`); never the Principal of the record. */
  principal: { id: string; kind: string };
  log: Logger;
  /** Milliseconds after which an answer is no longer waited for, whatever the driver does. */
  deadlineMs?: number;
};

type ExecStep = { pack: string; verb: string; args: Readonly<Record<string, unknown>> };
/** From the record that woke, so from the Binding and its Principal (S20). */
type ExecContext = { tenantId: string; projectId: string | null };

export type ExecClient = {
  /**
   * Runs one command, or says why not. Never throws: whatever happens is an outcome, and only a fault that may pass by
   * itself is `transient`.
   * @param idempotencyKey the same for every attempt at the same step.
   */
  execute(step: ExecStep, context: ExecContext, idempotencyKey: string): Promise<StepOutcome>;
};

/** The one way out to Execute. Own token, own grants, checked before anything leaves (S17, S27, S35). */
export const createExecClient = (parts: ExecClientParts): ExecClient => {
  const { driver, packs, log, deadlineMs = 60_000 } = parts;
  // Copied: what the driver is shown and may touch is not what decides.
  const grants = structuredClone(parts.grants);
  const principal = structuredClone(parts.principal);

  const call = async (step: ExecStep, context: ExecContext, idempotencyKey: string): Promise<StepOutcome> => {
    const { pack, verb, args } = step;
    const refusal = checkStep({ pack, verb, projectId: context.projectId }, packs, grants);
    if (refusal !== null) return denied(step, new CodedError(refusal.code, refusal.detail));
    const confirmation = findConfirmation(args);
    if (confirmation !== null) {
      return denied(
        step,
        new CodedError('EXEC_CONFIRM_REFUSED', `${safeText(confirmation, 128)} would confirm`),
      );
    }
    const authz = {
      principal: { ...principal },
      tenant_id: context.tenantId,
      project_id: context.projectId,
      grants: structuredClone(grants),
    };
    try {
      const answer = await withDeadline(deadlineMs, async (signal) =>
        driver.exec({ pack_id: pack, verb_key: verb, args, authz }, { idempotencyKey, signal }),
      );
      return judgeAnswer(parseAnswer(answer, step));
    } catch (error) {
      return failed(step, error);
    }
  };

  return {
    async execute(step, context, idempotencyKey) {
      const startedAt = performance.now();
      const outcome = await call(step, context, idempotencyKey);
      log.info(
        {
          pack: step.pack,
          verb: step.verb,
          driver: driver.id,
          idempotency_key: idempotencyKey,
          outcome: outcome.outcome,
          code: outcome.code,
          ms: Math.round(performance.now() - startedAt),
        },
        'exec.called',
      );
      return outcome;
    },
  };
};

/** A driver that never answers must not hold a wake for ever. */
const withDeadline = async <T>(ms: number, run: (signal: AbortSignal) => Promise<T>): Promise<T> => {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const error = new CodedError('EXEC_UNREACHABLE', `The runtime did not answer within ${ms} ms`);
      reject(error);
      controller.abort(error);
    }, ms);
  });
  try {
    return await Promise.race([run(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
};

const denied = ({ pack, verb }: ExecStep, error: CodedError): StepOutcome => ({
  pack,
  verb,
  outcome: 'denied',
  code: error.code,
  message: error.message,
});

const failed = ({ pack, verb }: ExecStep, error: unknown): StepOutcome => {
  const known =
    error instanceof CodedError ? error : new CodedError('EXEC_FAILED', describe(error), { cause: error });
  if (known.code === 'EXEC_REFUSED') return denied({ pack, verb, args: {} }, known);
  return {
    pack,
    verb,
    outcome: 'failed',
    code: known.code,
    message: safeText(known.message, 1024),
    ...(known.retry ? { transient: true } : {}),
  };
};

const describe = (error: unknown): string =>
  `The driver threw ${error instanceof Error ? safeText(`${error.name}: ${error.message}`, 256) : 'no error'}`;
