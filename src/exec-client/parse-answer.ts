import { z } from 'zod';
import { CodedError } from '../domain/errors.ts';
import type { ExecAnswer } from '../domain/execute.ts';

const answer = z.discriminatedUnion('ok', [
  z.object({
    ok: z.literal(true),
    pack_id: z.string(),
    verb_key: z.string(),
    result: z.unknown().optional(),
  }),
  z.object({
    ok: z.literal(false),
    pack_id: z.string(),
    verb_key: z.string(),
    error: z.string(),
    code: z.string().optional(),
    preview: z.unknown().optional(),
    hint: z.string().optional(),
  }),
]);

/**
 * Takes an answer for what it must be: the protocol's envelope (S31) for the very command that was called. Members that
 * the protocol does not know are dropped, not refused: by then the command has run, and saying that it failed would be
 * untrue.
 * @throws CodedError EXEC_ANSWER_INVALID, naming the member and not its value.
 */
export const parseAnswer = (raw: unknown, call: { pack: string; verb: string }): ExecAnswer => {
  const parsed = answer.safeParse(raw);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, code }) => `${path.join('.') || 'the answer'} (${code})`);
    throw new CodedError(
      'EXEC_ANSWER_INVALID',
      `The runtime's answer is not the envelope: ${faults.join(', ')}`,
    );
  }
  const { data } = parsed;
  if (data.pack_id !== call.pack || data.verb_key !== call.verb) {
    throw new CodedError(
      'EXEC_ANSWER_INVALID',
      'The runtime answered for another command than the one called',
    );
  }
  if (data.ok)
    return { ok: true, pack_id: data.pack_id, verb_key: data.verb_key, result: data.result ?? null };
  return {
    ok: false,
    pack_id: data.pack_id,
    verb_key: data.verb_key,
    error: data.error,
    ...(data.code === undefined ? {} : { code: data.code }),
    ...(data.preview === undefined ? {} : { preview: data.preview }),
    ...(data.hint === undefined ? {} : { hint: data.hint }),
  };
};
