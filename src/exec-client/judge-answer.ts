import type { ExecAnswer, StepOutcome } from '../domain/execute.ts';
import { safeText } from '../domain/safe-text.ts';
import { keepBounded } from './keep-bounded.ts';

const RESULT_BYTES = 4 * 1024;
const PREVIEW_BYTES = 16 * 1024;

/**
 * Turns a runtime's answer into what became of the step. `confirm required` is the protocol's conformance string, its
 * code is an addition of the reference runtime, so either says it; what ran nothing keeps its preview and hint for the
 * person who decides (S28).
 */
export const judgeAnswer = (answer: ExecAnswer): StepOutcome => {
  const { pack_id: pack, verb_key: verb } = answer;
  if (answer.ok) {
    const result = keepBounded(answer.result, RESULT_BYTES, { redact: true });
    return { pack, verb, outcome: 'done', code: null, message: null, result };
  }
  const message = safeText(answer.error, 1024);
  if (answer.code === 'confirm_required' || answer.error === 'confirm required') {
    return {
      pack,
      verb,
      outcome: 'confirm_required',
      code: 'confirm_required',
      message,
      ...(answer.preview === undefined
        ? {}
        : { preview: keepBounded(answer.preview, PREVIEW_BYTES, { redact: false }) }),
      ...(answer.hint === undefined ? {} : { hint: safeText(answer.hint, 1024) }),
    };
  }
  const denied = answer.code === 'denied' || /^denied\b/.test(answer.error);
  const code =
    answer.code === undefined ? (denied ? 'EXEC_REFUSED' : 'EXEC_FAILED') : safeText(answer.code, 128);
  return { pack, verb, outcome: denied ? 'denied' : 'failed', code, message };
};
