import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { activateCommand } from '../../src/cli/activate-command.ts';
import { applyCommand } from '../../src/cli/apply-command.ts';
import { grantCommand } from '../../src/cli/grant-command.ts';
import { revokeCommand } from '../../src/cli/revoke-command.ts';
import { freshDatabase, hasPostgres } from '../helpers/stores.ts';
import { runCommand } from './run-command.ts';

const examples = join(import.meta.dirname, '..', '..', 'examples');

describe.skipIf(!hasPostgres)('the directory from the command line', () => {
  let dir: string;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let client: Client;
  let config: string[];

  beforeEach(async () => {
    database = await freshDatabase();
    client = new Client({ connectionString: database.url });
    await client.connect();
    dir = await mkdtemp(join(tmpdir(), 'sense-cli-'));
    const file = join(dir, 'sense.yaml');
    const packs = ['mail', 'issues', 'watcher'].map((pack) => `{ dir: ${join(examples, 'packs', pack)} }`);
    await writeFile(file, `version: 1\ntenant: acme\npacks: [ ${packs.join(', ')} ]\n`);
    config = ['-c', file];
    vi.stubEnv('DATABASE_URL', database.url);
    vi.stubEnv('REDIS_URL', '');
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await client.end();
    await database.drop();
    await rm(dir, { recursive: true, force: true });
  });

  const quickstart = join(examples, 'quickstart', 'directory.yaml');
  const applyText = async (text: string, ...args: string[]) => {
    const file = join(dir, 'directory.yaml');
    await writeFile(file, text);
    return runCommand(applyCommand(), file, ...config, ...args);
  };
  const grants = async () =>
    (await client.query('select grant_id from sense.grants order by 1')).rows.map((row) => row.grant_id);
  const everything = async () =>
    (
      await client.query(`select
        (select json_agg(p order by principal_id) from sense.principals p)::text as principals,
        (select json_agg(b order by binding_id) from sense.bindings b)::text as bindings,
        (select json_agg(g order by grant_id) from sense.grants g)::text as grants,
        (select json_agg(a order by pack_id) from sense.activation a)::text as activation`)
    ).rows[0];

  test('apply makes what the example directory says, and a second time changes nothing, not even a time', async () => {
    const first = await runCommand(applyCommand(), quickstart, ...config);
    expect(first.out).toContain('created  principal user_42');
    expect(first.out).toContain('created  grant user_42:sense.enable:mail');
    expect(first.out).toMatch(/10 created, 0 updated, 0 unchanged$/);
    const before = await everything();
    const second = await runCommand(applyCommand(), quickstart, ...config, '--json');
    expect(new Set(JSON.parse(second.out).changes.map(({ change }: { change: string }) => change))).toEqual(
      new Set(['unchanged']),
    );
    expect(await everything()).toEqual(before);
  });

  test('apply changes only what differs and leaves alone what it does not name', async () => {
    await runCommand(applyCommand(), quickstart, ...config);
    const { out } = await applyText(
      'principals: [ { id: user_42, kind: human, projects: [ apollo, zeus ] } ]',
    );
    expect(out).toBe('updated  principal user_42\n0 created, 1 updated, 0 unchanged');
    const { rows } = await client.query('select tenant_id, projects from sense.principals');
    expect(rows).toEqual([{ tenant_id: 'acme', projects: ['apollo', 'zeus'] }]);
    expect(await grants()).toHaveLength(3);
  });

  test('apply is all or nothing: one reference that leads nowhere, and nothing is written', async () => {
    const applied = applyText(`
principals: [ { id: user_1, kind: human } ]
bindings:
  - { id: b1, pack: mail, principal: user_1, account: a }
  - { id: b2, pack: mail, principal: user_2, account: b }
  - { id: b3, pack: mail, principal: user_1, tenant: globex }
grants: [ { principal: user_1, elevation: b9 } ]
`);
    await expect(applied).rejects.toMatchObject({
      code: 'DIRECTORY_INVALID',
      faults: [
        'binding b2: there is no principal "user_2"',
        'binding b3: claims tenant "globex", but principal "user_1" is of "acme"',
        'grant user_1:elevation:b9: there is no binding "b9"',
      ],
    });
    expect(await everything()).toEqual({ principals: null, bindings: null, grants: null, activation: null });
  });

  test('apply names every fault of a file with path, line and what was probably meant', async () => {
    const applied = applyText(`principals:
  - { id: user_1, kind: human, project: [ apollo ] }
bindings:
  - id: b1
    pack: mail
    principal: user_1
    mod: user
activations: { mail: on }
`);
    await expect(applied).rejects.toMatchObject({
      code: 'DIRECTORY_INVALID',
      faults: [
        '(top level) (line 1): unknown key "activations"; did you mean "activation"?',
        'principals[0] (line 2): unknown key "project"; did you mean "projects"?',
        'bindings[0] (line 4): unknown key "mod"; did you mean "mode"?',
      ],
    });
    const packs = applyText(`grants:
  - { principal: u, capability: sense.enable, pack: mial }
  - { principal: u, capability: verb.exec.read, pack: mail, verb_keys: [ mail.lst ] }
  - { principal: u, capability: sense.enabled, pack: mail }
activation:
  issue: on
`);
    await expect(packs).rejects.toMatchObject({
      faults: [expect.stringMatching(/grants\[2\].capability \(line 4\)/)],
    });
    const unknown = applyText(`grants:
  - { principal: u, capability: sense.enable, pack: mial }
  - { principal: u, capability: verb.exec.read, pack: mail, verb_keys: [ mail.lst ] }
  - { principal: u, capability: sense.enable, pack: mial }
activation:
  issue: on
`);
    await expect(unknown).rejects.toMatchObject({
      faults: [
        'grants[0].pack (line 2): no pack "mial" is loaded; did you mean "mail"?',
        'grants[1].verb_keys (line 3): pack "mail" has no command "mail.lst"; did you mean "mail.list"?',
        expect.stringContaining('(line 4)'),
        expect.stringContaining('(line 4)'),
        'activation.issue (line 6): no pack "issue" is loaded; did you mean "issues"?',
      ],
    });
    await expect(applyText('principals: [ {')).rejects.toMatchObject({
      code: 'CONFIG_YAML',
      message: expect.stringMatching(/line \d+, column \d+/),
    });
    await expect(runCommand(applyCommand(), join(dir, 'none.yaml'), ...config)).rejects.toMatchObject({
      code: 'USAGE',
    });
  });

  test('S27: grant and revoke touch one capability of one Principal on one pack', async () => {
    await runCommand(applyCommand(), quickstart, ...config);
    const granted = await runCommand(
      grantCommand(),
      'user_42',
      'mail',
      '--capability',
      'verb.exec.read',
      '--verb',
      'mail.list',
      ...config,
    );
    expect(granted.out).toBe('user_42 has verb.exec.read on mail now');
    const all = await grants();
    expect(all).toContain('user_42:verb.exec.read:mail');

    const revoked = await runCommand(revokeCommand(), 'user_42', 'mail', ...config, '--json');
    expect(JSON.parse(revoked.out)).toEqual({ revoked: ['user_42:sense.enable:mail'] });
    expect(await grants()).toEqual(all.filter((id) => id !== 'user_42:sense.enable:mail'));
    const again = await runCommand(revokeCommand(), 'user_42', 'mail', ...config);
    expect(again).toEqual({ out: 'user_42 had no sense.enable on mail', exitCode: 0 });
    expect((await runCommand(grantCommand(), 'user_42', 'mail', ...config)).out).toBe(
      'user_42 has sense.enable on mail now',
    );
    expect((await runCommand(grantCommand(), 'user_42', 'mail', ...config)).out).toBe(
      'user_42 has sense.enable on mail already',
    );
  });

  test('G3: a revoke takes the capability under whatever ids it was granted', async () => {
    await runCommand(applyCommand(), quickstart, ...config);
    await applyText('grants: [ { id: by_hand, principal: user_42, capability: sense.enable, pack: mail } ]');
    const revoked = await runCommand(revokeCommand(), 'user_42', 'mail', ...config, '--json');
    expect(JSON.parse(revoked.out).revoked).toEqual(['by_hand', 'user_42:sense.enable:mail']);
  });

  test('S12: activate turns Sense on and off and touches no grant', async () => {
    await runCommand(applyCommand(), quickstart, ...config);
    const before = await grants();
    expect((await runCommand(activateCommand(), 'mail', 'off', ...config)).out).toBe(
      'Sense is off for mail now',
    );
    expect((await runCommand(activateCommand(), 'mail', 'off', ...config)).out).toBe(
      'Sense is off for mail already',
    );
    const { rows } = await client.query("select sense from sense.activation where pack_id = 'mail'");
    expect(rows).toEqual([{ sense: 'off' }]);
    expect(await grants()).toEqual(before);
  });

  test('what is not known is said by name, and nothing is written', async () => {
    for (const command of [grantCommand(), revokeCommand()]) {
      await expect(runCommand(command, 'user_42', 'mial', ...config)).rejects.toMatchObject({
        code: 'PACK_UNKNOWN',
        message: expect.stringContaining('did you mean "mail"?'),
      });
    }
    await expect(runCommand(grantCommand(), 'nobody', 'mail', ...config)).rejects.toMatchObject({
      code: 'DIRECTORY_INVALID',
      message: expect.stringContaining('no principal "nobody"'),
    });
    await expect(runCommand(revokeCommand(), 'nobody', 'mail', ...config)).rejects.toMatchObject({
      code: 'DIRECTORY_UNKNOWN',
    });
    await expect(runCommand(activateCommand(), 'nothing', 'on', ...config)).rejects.toMatchObject({
      code: 'PACK_UNKNOWN',
    });
    expect(await everything()).toEqual({ principals: null, bindings: null, grants: null, activation: null });
  });

  test('a database that is away is said so', async () => {
    vi.stubEnv('DATABASE_URL', 'postgres://nobody@127.0.0.1:1/none');
    await expect(runCommand(activateCommand(), 'mail', 'on', ...config)).rejects.toMatchObject({
      code: 'DATABASE_UNREACHABLE',
    });
  });
});
