import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/read-config.ts';
import { codedFault, writeConfig } from './write-config.ts';

const head = 'version: 1\ntenant: acme\npacks: [{ dir: packs/mail }]\n';
const execute = (grants: string): string =>
  `execute: { url: "http://127.0.0.1:9100/exec", token: { env: E }, principal: { id: w, kind: service }, grants: [${grants}] }\n`;
const readGrant = '{ capability: verb.exec.read, pack_id: mail }';
const writeGrant = '{ capability: verb.exec.write, pack_id: mail }';
const wake = (steps: string, on = '{ pack: mail, ref: new_item }'): string =>
  `wakes:\n  - id: w\n    on: ${on}\n    steps: [${steps}]\n`;

const faultsOf = async (yaml: string): Promise<readonly string[]> =>
  (await codedFault(readConfig({ file: await writeConfig(yaml), env: {} }))).faults;

describe('wakes', () => {
  it('S16: become rules, with their windows in milliseconds', async () => {
    const yaml = `${head}${execute(readGrant)}${wake('{ pack: mail, verb: mail.get, args: { id: "$.data.id" } }')}    coalesce: 5s\n    budget: { per_principal_per_hour: 60 }\n`;
    const { wakeRules } = await readConfig({ file: await writeConfig(yaml), env: {} });
    expect(wakeRules).toEqual([
      {
        id: 'w',
        on: { pack: 'mail', ref: 'new_item' },
        steps: [{ pack: 'mail', verb: 'mail.get', args: { id: '$.data.id' } }],
        coalesceMs: 5_000,
        perPrincipalPerHour: 60,
      },
    ]);
  });

  it.each(['mail.connect', 'mail.send.link'])(
    'S29: a step with the connect command %s is refused, whatever the grants',
    async (verb) => {
      const yaml = `${head}${execute(`${readGrant}, ${writeGrant}`)}${wake(`{ pack: mail, verb: ${verb} }`)}`;
      expect(await faultsOf(yaml)).toEqual([
        `wakes[0].steps[0].verb (line 8): "${verb}" is a connect command; a wake never runs one, whatever its grants: a person runs connect`,
      ]);
    },
  );

  it('S28: confirm and apply among the arguments are refused', async () => {
    const yaml = `${head}${execute(writeGrant)}${wake('{ pack: mail, verb: mail.send, args: { confirm: true, Apply: 1, to: x } }')}`;
    expect(await faultsOf(yaml)).toEqual([
      'wakes[0].steps[0].args.confirm (line 8): a wake never sends "confirm"; only a person confirms',
      'wakes[0].steps[0].args.Apply (line 8): a wake never sends "Apply"; only a person confirms',
    ]);
  });

  it('S27: read does not grant write, one command does not grant another, and both are said before the first wake', async () => {
    const steps = '{ pack: mail, verb: mail.send }, { pack: mail, verb: mail.list }';
    const narrow = '{ capability: verb.exec.read, pack_id: mail, verb_keys: [mail.get] }';
    expect(await faultsOf(`${head}${execute(narrow)}${wake(steps)}`)).toEqual([
      'wakes[0].steps[0].verb (line 8): execute.grants holds no verb.exec.write for "mail.send" of pack "mail"',
      'wakes[0].steps[1].verb (line 8): execute.grants holds no verb.exec.read for "mail.list" of pack "mail"',
    ]);
  });

  it.each(['sense.enable', 'pack.connect'])('S17 S29: %s is no grant of Execute', async (capability) => {
    const [fault, ...others] = await faultsOf(
      `${head}${execute(`{ capability: ${capability}, pack_id: mail }`)}`,
    );
    expect(fault).toBe(
      'execute.grants[0].capability (line 4): expected "verb.exec.read" or "verb.exec.write"',
    );
    expect(others).toEqual([]);
  });

  it('S35: a wake without execute, on an unknown trigger, or with an unknown command or pack is refused', async () => {
    expect(
      await faultsOf(`${head}${wake('{ pack: mail, verb: mail.gte }', '{ pack: mail, ref: new_itm }')}`),
    ).toEqual([
      'wakes[0] (line 5): wake "w" has nothing to run its steps; add execute',
      'wakes[0].on.ref (line 6): pack "mail" declares no trigger "new_itm"; did you mean "new_item"?',
      'wakes[0].steps[0].verb (line 7): pack "mail" has no command "mail.gte"; did you mean "mail.get"?',
    ]);
    const grant =
      '{ capability: verb.exec.read, pack_id: mial }, { capability: verb.exec.read, pack_id: mail, verb_keys: [mail.gte] }';
    expect(await faultsOf(`${head}${execute(grant)}`)).toEqual([
      'execute.grants[0].pack_id (line 4): no pack "mial" is loaded; did you mean "mail"?',
      'execute.grants[1].verb_keys[0] (line 4): pack "mail" has no command "mail.gte"; did you mean "mail.get"?',
    ]);
  });
});
