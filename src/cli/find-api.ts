import type { Command } from 'commander';
import { readSecret } from '../config/read-secret.ts';
import { CodedError } from '../domain/errors.ts';
import type { ApiTarget } from './call-api.ts';
import { loadConfig } from './load-config.ts';
import { localUrl } from './local-url.ts';

/** Gives a command the options with which it finds the server and a token. */
export const addApiOptions = (command: Command): Command =>
  command
    .option('-c, --config <file>', 'configuration (default: SENSE_CONFIG, else ./sense.yaml)')
    .option('--url <url>', 'the server (default: http.host and http.port of the configuration)')
    .option(
      '--token-env <name>',
      'environment variable that holds the token (default: of the configuration)',
    );

/**
 * The server to call and a token for it. The configuration is read only for what the options do not say, so that a
 * client elsewhere needs none.
 * @param role the first token of this role whose secret can be read here is taken
 * @throws SECRET_UNUSABLE where there is no token, and what reading the configuration throws
 */
export const findApi = async (command: Command, role: 'admin' | 'invoker'): Promise<ApiTarget> => {
  const { url, tokenEnv } = command.optsWithGlobals<{ url?: string; tokenEnv?: string }>();
  if (url !== undefined && !URL.canParse(url)) throw new CodedError('USAGE', `--url ${url} is not a URL`);
  const loaded = url === undefined || tokenEnv === undefined ? await loadConfig(command) : null;
  const base = url ?? (loaded === null ? '' : localUrl(loaded.config.http));

  if (tokenEnv !== undefined) {
    const token = process.env[tokenEnv]?.trim();
    if (!token)
      throw new CodedError('SECRET_UNUSABLE', `The environment variable ${tokenEnv} holds no token`);
    return { url: base, token };
  }
  const unusable: string[] = [];
  for (const token of loaded?.config.tokens ?? []) {
    if (token.role !== role) continue;
    const secret = await readSecret(token.secret, { env: process.env, dir: loaded?.dir ?? '.' });
    if ('value' in secret) return { url: base, token: secret.value };
    unusable.push(`token "${token.id}": ${secret.unusable}`);
  }
  throw new CodedError(
    'SECRET_UNUSABLE',
    unusable.length > 0 ? unusable.join('; ') : `The configuration has no token of role ${role}`,
  );
};
