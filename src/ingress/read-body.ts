import type { ErrorCode } from '../domain/errors.ts';
import type { BodyFormat } from './body-format.ts';
import { isTooDeep } from './is-too-deep.ts';
import { readForm } from './read-form.ts';

/** A body as JSON text, exactly as it was sent, and what it means. */
export type Body = { text: string; value: unknown };
export type BodyFault = { code: ErrorCode; detail: string; faults?: readonly string[] };

const fault = (detail: string): BodyFault => ({ code: 'BODY_MALFORMED', detail });

// Fatal: a replacement character in the place of a broken one would be another payload. Drops a byte order mark.
const utf8 = new TextDecoder('utf-8', { fatal: true });

const decode = (raw: Buffer): string | null => {
  try {
    return utf8.decode(raw);
  } catch {
    return null;
  }
};

/** Decodes and parses a body that is already verified. A body that can't be read is a value, not a throw. */
export const readBody = (format: BodyFormat, raw: Buffer): Body | BodyFault => {
  if (raw.length === 0) return fault('The body is empty');
  const sent = decode(raw);
  if (sent === null) return fault('The body is not UTF-8');
  // Slack has been seen to send JSON under the form content type; no form of a vendor begins with a brace.
  const text = format === 'form' && !sent.trimStart().startsWith('{') ? readForm(sent) : sent;
  if (text === null) return fault('The form is not well-formed');
  if (isTooDeep(text)) return { code: 'BODY_TOO_DEEP', detail: 'The JSON is nested too deeply' };
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    return fault('The body is not JSON');
  }
};
