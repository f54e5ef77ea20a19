import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeConfig } from '../../src/config/describe-config.ts';
import { type LoadedConfig, type Role, roles } from '../../src/config/loaded-config.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { codedFault, writeConfig } from './write-config.ts';

const yaml = `version: 1
tenant: acme
packs: [{ dir: packs/mail }]
sources:
  - { id: hook, type: webhook, pack: mail, secrets: [{ env: NEW }, { file: keys/old }] }
execute: { url: "http://u:p4ss@127.0.0.1:9100/exec", token: { env: EXEC }, principal: { id: w, kind: service } }
tokens:
  - { id: ops, role: admin, secret: { env: ADMIN } }
  - { id: agent, role: invoker, principals: ["*"], secret: { env: AGENT } }
`;
const files = { 'keys/old': 'old-secret\r\n' };
const env = { NEW: 'new-secret', EXEC: 'exec-secret', ADMIN: 'admin-secret', AGENT: 'agent-secret' };

const read = async (
  role: Role | null,
  given: Record<string, string> = env,
  text = yaml,
): Promise<LoadedConfig> => readConfig({ file: await writeConfig(text, files), env: given, role });

describe('secrets', () => {
  it('are read from environment and files in the order given, without the line end of the file', async () => {
    const { secrets } = await read('all');
    expect(secrets.sources).toEqual(new Map([['hook', ['new-secret', 'old-secret']]]));
    expect(secrets.tokens).toEqual(
      new Map([
        ['ops', 'admin-secret'],
        ['agent', 'agent-secret'],
      ]),
    );
    expect(secrets.execute).toBe('exec-secret');
  });

  it.each([...roles, null])('G7: role %s holds no secret that it does not need', async (role) => {
    const { secrets } = await read(role);
    const receives = role === 'all' || role === 'ingress';
    expect([...secrets.sources.keys()]).toEqual(receives ? ['hook'] : []);
    expect([...secrets.tokens.keys()]).toEqual(receives ? ['ops', 'agent'] : []);
    expect(secrets.execute).toBe(role === 'all' || role === 'wake' ? 'exec-secret' : null);
  });

  it.each(['worker', 'fanout'] as const)('G7: role %s starts without any of them', async (role) => {
    await expect(read(role, {})).resolves.toMatchObject({ secrets: { execute: null } });
  });

  it.each([
    ['unset', undefined, 'source "hook": environment variable NEW is unset'],
    ['empty', '', 'source "hook": environment variable NEW is empty'],
    ['blank', ' \n\t', 'source "hook": environment variable NEW is blank'],
  ])('S35: a source whose secret is %s is refused by name', async (_what, value, expected) => {
    const { NEW: _, ...others } = env;
    const fault = await codedFault(read('ingress', value === undefined ? others : { ...others, NEW: value }));
    expect(fault.code).toBe('SECRET_UNUSABLE');
    expect(fault.message.startsWith(`${expected}. `)).toBe(true);
  });

  it.each([
    ['missing', {}, 'is missing or unreadable'],
    ['empty', { 'keys/old': '' }, 'is empty'],
    ['a lone line end', { 'keys/old': '\n' }, 'is empty'],
    ['blank', { 'keys/old': '  \n' }, 'is blank'],
    ['a directory', { 'keys/old/x': '' }, 'is missing or unreadable'],
  ])('S35: a source whose file is %s is refused by name', async (_what, given, expected) => {
    const fault = await codedFault(
      readConfig({ file: await writeConfig(yaml, given), env, role: 'ingress' }),
    );
    expect(fault.code).toBe('SECRET_UNUSABLE');
    expect(fault.message).toContain(`source "hook": file keys/old ${expected}`);
  });

  it('S35: all unusable secrets are named at once', async () => {
    const fault = await codedFault(read('all', {}));
    expect(
      [fault.message, ...fault.faults].map(
        (line) => /^(source "\w+"|token "\w+"|execute\.token)/.exec(line)?.[0],
      ),
    ).toEqual(['source "hook"', 'token "ops"', 'token "agent"', 'execute.token']);
  });

  it('S35: two tokens of one secret are refused, without saying it', async () => {
    const fault = await codedFault(read('ingress', { ...env, AGENT: env.ADMIN }));
    expect(fault.message).toContain('token "agent": its secret is that of token "ops"');
    expect(fault.message).not.toContain(env.ADMIN);
  });
});

describe('stores', () => {
  const storesOf = async (given: Record<string, string>, more = '') =>
    (await read(null, given, yaml + more)).stores;
  const embedded = { kind: 'embedded', dir: resolve('.sense/postgres') };

  it('are embedded where nothing is named, below SENSE_HOME where that is set', async () => {
    expect(await storesOf({})).toEqual({ database: embedded, queue: embedded });
    expect(await storesOf({ SENSE_HOME: '/srv/sense', REDIS_URL: '', DATABASE_URL: ' ' })).toEqual({
      database: { kind: 'embedded', dir: '/srv/sense/postgres' },
      queue: { kind: 'embedded', dir: '/srv/sense/postgres' },
    });
  });

  it('come from the environment, the queue from the database where only that is named', async () => {
    const database = { kind: 'postgres', url: 'postgresql://db/sense' };
    expect(await storesOf({ DATABASE_URL: database.url })).toEqual({ database, queue: database });
    expect(await storesOf({ REDIS_URL: 'rediss://cache' })).toEqual({
      database: embedded,
      queue: { kind: 'redis', url: 'rediss://cache' },
    });
  });

  it('come from the configuration first', async () => {
    const more = 'queue: { url: { env: Q } }\ndatabase: { url: { file: keys/db } }\n';
    const file = await writeConfig(yaml + more, { ...files, 'keys/db': 'postgres://db/one\n' });
    const { stores } = await readConfig({
      file,
      env: { Q: 'postgres://db/two', DATABASE_URL: 'postgres://x', REDIS_URL: 'redis://x' },
    });
    expect(stores).toEqual({
      database: { kind: 'postgres', url: 'postgres://db/one' },
      queue: { kind: 'postgres', url: 'postgres://db/two' },
    });
  });

  it('S35: an address that is named and unset, or of another scheme, is a fault that does not show it', async () => {
    const more = 'queue: { url: { env: Q } }\ndatabase: { url: { env: D } }\n';
    const unset = await codedFault(storesOf({}, more));
    expect(unset).toMatchObject({
      code: 'CONFIG_INVALID',
      faults: [
        'queue.url (line 10): environment variable Q is unset',
        'database.url (line 11): environment variable D is unset',
      ],
    });
    const wrong = await codedFault(storesOf({ Q: 'amqp://u:p4ss@mq', D: 'redis://u:p4ss@cache' }, more));
    expect(wrong.faults).toEqual([
      'queue.url (line 10): expected a URL of Redis or Postgres, redis://, rediss://, postgres:// or postgresql://',
      'database.url (line 11): expected a URL of Postgres, postgres:// or postgresql://',
    ]);
    const implied = await codedFault(storesOf({ DATABASE_URL: 'mysql://u:p4ss@db' }));
    expect(implied.faults).toEqual([
      'database (line 1): environment variable DATABASE_URL: expected a URL of Postgres, postgres:// or postgresql://',
    ]);
  });
});

describe('describeConfig', () => {
  it('says what was understood and nothing that is secret', async () => {
    const given = { ...env, DATABASE_URL: 'postgres://sense:p4ss@db:5432/sense?password=p4ss' };
    const line = describeConfig(await read('all', given));
    expect(line).toMatchObject({
      database: 'postgres://db:5432/sense',
      queue: { store: 'postgres://db:5432/sense', partitions: 4 },
      execute: 'http://127.0.0.1:9100/exec',
      sources: [{ id: 'hook', packs: ['mail'], live_secrets: 2 }],
    });
    expect(JSON.stringify(line)).not.toMatch(/p4ss|secret"|(new|old|exec|admin|agent)-secret/);
  });
});
