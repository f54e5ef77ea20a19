import { CodedError } from '../domain/errors.ts';
import type { Role, Secrets } from './loaded-config.ts';
import { type Environment, readSecret } from './read-secret.ts';
import type { Config, SecretRef } from './schema.ts';

/** Which processes hold which secrets: whoever records is never given what could act (G7). */
const needs: Readonly<Record<Role, { ingress: boolean; execute: boolean }>> = {
  all: { ingress: true, execute: true },
  ingress: { ingress: true, execute: false },
  worker: { ingress: false, execute: false },
  wake: { ingress: false, execute: true },
  fanout: { ingress: false, execute: false },
};

type Named = { id: string; what: string; ref: SecretRef };
type Read = { id: string; value: string };

const readAll = async (
  named: readonly Named[],
  from: { env: Environment; dir: string },
  faults: string[],
): Promise<Read[]> => {
  const read: Read[] = [];
  for (const { id, what, ref } of named) {
    const reading = await readSecret(ref, from);
    if ('value' in reading) read.push({ id, value: reading.value });
    else faults.push(`${what}: ${reading.unusable}`);
  }
  return read;
};

/** Two tokens of one secret: whoever presents it would be one or the other by chance. */
const findShared = (tokens: readonly Read[]): string[] =>
  tokens.flatMap(({ id, value }, index) => {
    const earlier = tokens.slice(0, index).find((other) => other.value === value);
    return earlier === undefined ? [] : [`token "${id}": its secret is that of token "${earlier.id}"`];
  });

/**
 * Reads the secrets that a role needs, and no other.
 * @param role null for a command that starts nothing: it reads none
 * @throws SECRET_UNUSABLE naming every source and token whose secret is unset, empty, blank or unreadable:
 *   the first in the message, the others as its faults
 */
export const resolveSecrets = async ({
  config,
  dir,
  env,
  role,
}: {
  config: Pick<Config, 'sources' | 'tokens' | 'execute'>;
  dir: string;
  env: Environment;
  role: Role | null;
}): Promise<Secrets> => {
  const need = role === null ? { ingress: false, execute: false } : needs[role];
  const faults: string[] = [];
  const sources = (need.ingress ? config.sources : []).filter((source) => 'secrets' in source);
  const ofSources = sources.flatMap(({ id, secrets }) =>
    secrets.map((ref) => ({ id, what: `source "${id}"`, ref })),
  );
  const vendors = sources.filter((source) => source.type === 'vendor');
  const params = new Map<string, Record<string, string>>();
  for (const { id, params: named } of vendors) {
    const resolved: Record<string, string> = {};
    for (const [name, value] of Object.entries(named)) {
      const reading = typeof value === 'string' ? { value } : await readSecret(value, { env, dir });
      if ('value' in reading) resolved[name] = reading.value;
      else faults.push(`source "${id}": params.${name}: ${reading.unusable}`);
    }
    params.set(id, resolved);
  }
  const ofTokens = (need.ingress ? config.tokens : []).map(({ id, secret }) => ({
    id,
    what: `token "${id}"`,
    ref: secret,
  }));
  const ofExecute =
    need.execute && config.execute?.token !== undefined
      ? [{ id: 'execute', what: 'execute.token', ref: config.execute.token }]
      : [];

  const readSources = await readAll(ofSources, { env, dir }, faults);
  const readTokens = await readAll(ofTokens, { env, dir }, faults);
  const [execute] = await readAll(ofExecute, { env, dir }, faults);
  faults.push(...findShared(readTokens));
  const [first, ...others] = faults;
  if (first !== undefined) throw new CodedError('SECRET_UNUSABLE', first, { faults: others });
  const valuesOf = (id: string): string[] =>
    readSources.filter((read) => read.id === id).map(({ value }) => value);
  return {
    sources: new Map(sources.map(({ id }) => [id, valuesOf(id)])),
    params,
    tokens: new Map(readTokens.map(({ id, value }) => [id, value])),
    execute: execute?.value ?? null,
  };
};
