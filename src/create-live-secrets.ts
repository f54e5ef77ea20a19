import type { Logger } from 'pino';
import type { ApiToken, Caller } from './api/caller.ts';
import { createCallerIdentifier } from './api/create-caller-identifier.ts';
import type { LoadedConfig, Secrets } from './config/loaded-config.ts';
import { createSources } from './create-sources.ts';
import { CodedError } from './domain/errors.ts';
import type { Source } from './ingress/source.ts';

const tokensOf = ({ config }: LoadedConfig, secrets: Secrets): ApiToken[] =>
  config.tokens.map((token) => {
    const secret = secrets.tokens.get(token.id) ?? '';
    if (token.role === 'admin') return { id: token.id, role: 'admin', secret };
    const { id, role, tenant = config.tenant, principals } = token;
    return { id, role, secret, tenant, principals };
  });

const changedIn = <T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>): string[] =>
  [...after.keys()].filter((id) => JSON.stringify(after.get(id)) !== JSON.stringify(before.get(id)));

/**
 * Everything in ingress and API that hangs on secrets, and how to exchange it while requests are in hand: what a request
 * found when it came is what it is judged by.
 */
export const createLiveSecrets = async (loaded: LoadedConfig, log: Logger) => {
  const sources = new Map<string, Source>(await createSources(loaded));
  let identify = createCallerIdentifier(tokensOf(loaded, loaded.secrets));
  let now = loaded.secrets;
  let turn = Promise.resolve();

  const exchange = async (): Promise<void> => {
    try {
      const secrets = await loaded.readSecrets();
      const next = await createSources({ ...loaded, secrets });
      const nextIdentify = createCallerIdentifier(tokensOf(loaded, secrets));
      // From here on nothing waits and nothing fails: either all of them are new or none is.
      for (const [id, source] of next) sources.set(id, source);
      identify = nextIdentify;
      log.info(
        {
          sources: [
            ...new Set([
              ...changedIn(now.sources, secrets.sources),
              ...changedIn(now.params, secrets.params),
            ]),
          ],
          tokens: changedIn(now.tokens, secrets.tokens),
        },
        'secrets.exchanged',
      );
      now = secrets;
    } catch (error) {
      if (!(error instanceof CodedError)) log.error({ err: error }, 'secrets.kept');
      else log.error({ code: error.code, why: error.message, faults: error.faults }, 'secrets.kept');
    }
  };

  return {
    sources: sources as ReadonlyMap<string, Source>,
    /** @throws CodedError TOKEN_MISSING, TOKEN_INVALID */
    identify: (authorization: string | undefined): Caller => identify(authorization),
    /** Reads all secrets anew. Where one can't be used all old ones stay, and the log says why; it never throws. */
    reload(): Promise<void> {
      turn = turn.then(exchange);
      return turn;
    },
  };
};
