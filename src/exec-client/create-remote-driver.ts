import { CodedError } from '../domain/errors.ts';
import type { ExecRequest } from '../domain/execute.ts';
import { parseExact } from '../domain/parse-exact.ts';
import type { ExecDriver } from './driver.ts';
import { readBounded } from './read-bounded.ts';

type RemoteDriverParts = {
  /** The runtime's exec endpoint (`execute.url`), http or https. */
  url: string;
  /** Sent as `Authorization: Bearer`; Execute's own, from the configuration and nowhere else (S35). */
  token: string;
  /** Milliseconds for the whole exchange, the answer's body included. */
  timeoutMs?: number;
  /** The largest answer that is read, after decompression. */
  maxAnswerBytes?: number;
};

/** Asked to come again: busy, too early, too many, or the first try of the same key is still running. */
const comeAgain: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/**
 * A runtime behind HTTP: one POST of the protocol's envelope per command (S31). No redirects (the token would go with
 * them), no proxy, bounded in time and size.
 * @throws CodedError CONFIG_INVALID or SECRET_UNUSABLE here; from `exec` EXEC_UNREACHABLE (transient), EXEC_REFUSED,
 * EXEC_ANSWER_INVALID.
 */
export const createRemoteDriver = (parts: RemoteDriverParts): ExecDriver => {
  const { timeoutMs = 30_000, maxAnswerBytes = 1024 * 1024 } = parts;
  const url = checkUrl(parts.url);
  const token = checkToken(parts.token);

  const post = async (
    body: string,
    idempotencyKey: string,
    signal: AbortSignal,
  ): Promise<[number, string]> => {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json',
          'idempotency-key': idempotencyKey,
        },
        body,
        redirect: 'manual',
        signal,
      });
      return [response.status, await readBounded(response.body, maxAnswerBytes)];
    } catch (error) {
      if (error instanceof CodedError) throw error;
      throw new CodedError('EXEC_UNREACHABLE', `${url.origin} does not answer (${reasonOf(error)})`, {
        cause: error,
      });
    }
  };

  return {
    id: 'remote',
    kind: 'remote',
    async exec({ pack_id, verb_key, args = {}, authz }, options) {
      const { principal, tenant_id, project_id } = authz;
      const request: ExecRequest = { pack_id, verb_key, args, principal, tenant_id, project_id };
      const deadline = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([deadline, options.signal]);
      const [status, text] = await post(JSON.stringify(request), options.idempotencyKey, signal);

      if (status >= 500 || comeAgain.has(status)) {
        throw new CodedError('EXEC_UNREACHABLE', `${url.origin} answered ${status}`);
      }
      if (status >= 200 && status < 300) return parse(text);
      if (status < 400)
        throw new CodedError('EXEC_ANSWER_INVALID', `${url.origin} answered ${status}, not an envelope`);
      // A refusal may say why in an envelope; one that claims success with a 4xx says nothing that can be believed.
      const answer = readRefusal(text);
      if (answer !== null) return answer;
      throw new CodedError('EXEC_REFUSED', `${url.origin} answered ${status}`);
    },
  };
};

const parse = (text: string): unknown => {
  try {
    return parseExact(text);
  } catch (error) {
    throw new CodedError('EXEC_ANSWER_INVALID', "The runtime's answer is not JSON", { cause: error });
  }
};

const readRefusal = (text: string): unknown => {
  try {
    const value = parseExact(text);
    return typeof value === 'object' && value !== null && 'ok' in value && value.ok === false ? value : null;
  } catch {
    return null;
  }
};

const checkUrl = (text: string): URL => {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url === null ||
    !['http:', 'https:'].includes(url.protocol) ||
    url.username !== '' ||
    url.password !== ''
  ) {
    throw new CodedError('CONFIG_INVALID', 'execute.url is not an http(s) address without credentials');
  }
  return url;
};

const checkToken = (token: string): string => {
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new CodedError(
      'SECRET_UNUSABLE',
      'execute.token is blank or holds characters that a header cannot carry',
    );
  }
  return token;
};

/** `fetch failed` says nothing; its cause does. Codes and names only: an address in a message may be private. */
const reasonOf = (error: unknown): string => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return 'unknown';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
};
