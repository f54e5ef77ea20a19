import { CodedError, type ErrorCode, errorCatalogue } from '../domain/errors.ts';

/** A server, and the bearer token to call it with. */
export type ApiTarget = { url: string; token: string };

/** Longer than the longest long poll, so that it is the server who ends one. */
const TIMEOUT_MS = 90_000;

/**
 * Calls the API.
 * @returns the answer's text as it was sent, for payloads in it are verbatim
 * @throws SERVER_UNREACHABLE where nobody answers; the server's own error with its code; the signal's reason
 */
export const callApi = async (
  { url, token }: ApiTarget,
  method: 'GET' | 'POST',
  path: string,
  { body, signal }: { body?: object; signal?: AbortSignal } = {},
): Promise<string> => {
  const limit = AbortSignal.timeout(TIMEOUT_MS);
  const target = `${url.replace(/\/+$/, '')}${path}`;
  let answer: { ok: boolean; status: number; text: string };
  try {
    const response = await fetch(target, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // A token must not follow a redirect to somebody else.
      redirect: 'manual',
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
    answer = { ok: response.ok, status: response.status, text: await response.text() };
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new CodedError('SERVER_UNREACHABLE', `Nothing answers at ${url}`, { cause });
  }
  if (answer.ok) return answer.text;
  throw readError(answer.text) ?? strangeAnswer(url, answer.status);
};

/** A query string of what is defined. */
export const writeQuery = (values: Readonly<Record<string, string | number | undefined>>): string => {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) {
    if (value !== undefined) query.set(key, String(value));
  }
  return query.size === 0 ? '' : `?${query}`;
};

const strangeAnswer = (url: string, status: number): CodedError =>
  new CodedError('SERVER_UNREACHABLE', `What answers at ${url} (status ${status}) is not hcp-sense`);

/** The server's error as ours; null where the text is no error of the contract. */
const readError = (text: string): CodedError | null => {
  try {
    const { error } = JSON.parse(text) as {
      error?: { code?: string; message?: string; faults?: readonly string[] };
    };
    const { code, message, faults } = error ?? {};
    if (code === undefined || message === undefined || !Object.hasOwn(errorCatalogue, code)) return null;
    // The remedy comes with the code and is not said twice.
    const known = code as ErrorCode;
    const remedy = `. ${errorCatalogue[known].mend}`;
    const detail = message.endsWith(remedy) ? message.slice(0, -remedy.length) : message;
    return new CodedError(known, detail, { faults: faults ?? [] });
  } catch {
    return null;
  }
};
