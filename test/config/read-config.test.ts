import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/read-config.ts';
import { codedFault, writeConfig } from './write-config.ts';

const head = 'version: 1\ntenant: acme\npacks:\n  - dir: packs/mail\n';

const read = async (yaml: string, env: Record<string, string> = {}) =>
  readConfig({
    file: await writeConfig(yaml),
    env,
    vendors: { names: ['github', 'slack', 'stripe'], findFaults: () => [] },
  });

const faultsOf = async (yaml: string, env: Record<string, string> = {}): Promise<readonly string[]> => {
  const fault = await codedFault(read(yaml, env));
  expect(fault.code).toBe('CONFIG_INVALID');
  return fault.faults;
};

describe('readConfig', () => {
  it('gives defaults, absolute directories and frozen values', async () => {
    const file = await writeConfig(
      `${head}    routes: { item.updated: silent }\nsources:\n  - { id: hook, type: webhook, pack: mail, cwd: work, secrets: [{ env: S }] }\n`,
    );
    const loaded = await readConfig({ file, env: { S: 'x' } });
    expect(loaded.config.http).toEqual({
      host: '127.0.0.1',
      port: 8787,
      body_limit: 1024 * 1024,
      trusted_proxies: [],
    });
    expect(loaded.config.packs[0]?.dir).toBe(join(dirname(file), 'packs/mail'));
    expect(loaded.config.sources[0]?.cwd).toBe(join(dirname(file), 'work'));
    expect(loaded.packs.get('mail')?.routes).toEqual(new Map([['item.updated', 'silent']]));
    expect(() => Object.assign(loaded.config.http, { port: 1 })).toThrow(TypeError);
    expect(() => Object.assign(loaded, { home: '/' })).toThrow(TypeError);
  });

  it('says which file does not exist', async () => {
    const fault = await codedFault(readConfig({ file: 'nowhere/sense.yaml', env: {} }));
    expect(fault).toMatchObject({ code: 'CONFIG_NOT_FOUND' });
    expect(fault.message).toContain('nowhere/sense.yaml does not exist');
  });

  it.each([
    ['a broken line', 'version: 1\ntenant: "acme\n', /^sense\.yaml line \d+, column \d+: Missing closing/],
    ['a doubled key', 'version: 1\nversion: 1\n', /line 2, column 1: Map keys must be unique/],
    ['a tag that nothing resolves', 'version: !secret 1\n', /line 1, column 10: Unresolved tag/],
    ['two documents', 'version: 1\n---\nversion: 1\n', /line 2, column 1: /],
  ])('says line and column of %s', async (_what, yaml, expected) => {
    const fault = await codedFault(read(yaml));
    expect(fault.code).toBe('CONFIG_YAML');
    expect(fault.message).toMatch(expected);
  });

  it('quotes nothing of a broken file: it may be a secret', async () => {
    const fault = await codedFault(read('version: 1\n tokens: hunter2: [\n'));
    expect(JSON.stringify([fault.message, fault.faults])).not.toContain('hunter2');
  });

  it('lists all faults at once, each with path and line, in the order of the file', async () => {
    const yaml = `version: 2
tenent: acme
http: { port: 70000, hots: x }
packs:
  - dir: packs/mail
    routes: { item.updatd: silent, new_item: loud }
sources:
  - { id: Hook, type: webhook, pack: mial, secret: [{ env: S }] }
  - { id: github, type: vendor, vendor: githib, pack: mail, secrets: [], refs: { issues.opened: new_itm } }
  - { id: b, type: pigeon, pack: mail, secrets: [{ env: S }] }
  - { id: c, type: webhook, secrets: [{ env: S }] }
  - { id: c, type: webhook, pack: mial, secrets: [plain-text] }
  - { id: c, type: webhook, packs: [mail, mial], secrets: [{ env: S }] }
tokens:
  - { id: ops, role: root, secret: { env: A } }
`;
    const faults = await faultsOf(yaml);
    const expected = [
      'tenant (line 1): is required: expected string',
      'version (line 1): expected 1',
      'tenent (line 2): unknown key "tenent"; did you mean "tenant"?',
      'http.hots (line 3): unknown key "hots"; did you mean "host"?',
      'packs[0].routes.new_item (line 6): expected "inbox" or "silent"',
      'sources[0].id (line 8): expected lower-case letters, digits, - and _, at most 64',
      'sources[0].secret (line 8): unknown key "secret"; did you mean "secrets"?',
      'sources[0].secrets (line 8): is required: expected array',
      'sources[1].secrets (line 9): at least one secret is needed; nothing is accepted unsigned',
      'sources[2].type (line 10): expected "webhook" or "vendor" or "queue" or "process"',
      'sources[3] (line 11): needs either pack (the one it announces for) or packs (each announcement names its own)',
      'sources[4].secrets[0] (line 12): expected { env: NAME } or { file: path }; a secret itself never stands in the configuration',
      'sources[5].id (line 13): source "c" is configured twice',
      'tokens[0].role (line 15): expected "admin" or "invoker"',
    ];
    for (const line of expected) expect(faults).toContain(line);
    expect(faults.some((line) => line.startsWith('http.port (line 3): '))).toBe(true);
    const lines = faults.map((fault) => Number(/\(line (\d+)\)/.exec(fault)?.[1]));
    expect(lines).toEqual(lines.toSorted((a, b) => a - b));
    expect(faults.join()).not.toContain('plain-text');
  });

  it('S01 S10: sources and routes name packs and triggers that are loaded', async () => {
    const yaml = `${head}    routes: { item.updatd: silent }
sources:
  - { id: a, type: webhook, pack: mial, secrets: [{ env: S }] }
  - { id: b, type: webhook, packs: [mail, issues], secrets: [{ env: S }] }
  - { id: c, type: vendor, vendor: githib, pack: mail, secrets: [{ env: S }], refs: { issues.opened: new_itm } }
`;
    expect(await faultsOf(yaml)).toEqual([
      'packs[0].routes["item.updatd"] (line 5): pack "mail" declares no trigger "item.updatd"; did you mean "item.updated"?',
      'sources[0].pack (line 7): no pack "mial" is loaded; did you mean "mail"?',
      'sources[1].packs[1] (line 8): no pack "issues" is loaded',
      'sources[2].vendor (line 9): vendor "githib" is unknown; did you mean "github"?',
      'sources[2].refs["issues.opened"] (line 9): pack "mail" declares no trigger "new_itm"; did you mean "new_item"?',
    ]);
  });

  it('refuses ids that two sources, wakes, tokens or packs share', async () => {
    const yaml = `${head}  - dir: packs/mail
sources:
  - { id: a, type: webhook, pack: mail, secrets: [{ env: S }] }
  - { id: a, type: webhook, pack: mail, secrets: [{ env: S }] }
tokens:
  - { id: t, role: admin, secret: { env: A } }
  - { id: t, role: invoker, principals: ["*"], secret: { env: A } }
`;
    expect(await faultsOf(yaml)).toEqual([
      'packs[1].dir (line 5): pack "mail" is loaded twice',
      'sources[1].id (line 8): source "a" is configured twice',
      'tokens[1].id (line 11): token "t" is configured twice',
    ]);
  });

  it('S35: a pack that is not there, or does not pass lint, is refused with its own lines', async () => {
    const missing = await codedFault(read(head.replace('packs/mail', 'packs/male')));
    expect(missing).toMatchObject({
      code: 'PACK_NOT_FOUND',
      faults: ['packs[0].dir (line 4): packs/male holds no readable surface.json and no policy.json'],
    });
    const policy = '{\n "surface_id": "mail",\n "verbs": {},\n "roles": []\n}';
    const file = await writeConfig(head, {
      'packs/mail/surface.json': '{"id":"mail"}',
      'packs/mail/policy.json': policy,
    });
    const faulty = await codedFault(readConfig({ file, env: {} }));
    expect(faulty.code).toBe('PACK_FAULTY');
    expect(faulty.faults).toEqual([
      expect.stringMatching(/^packs\/mail\/policy\.json \$\.roles \(line 4\): unknown field "roles"/),
    ]);
  });

  it('reports a pack file that is not UTF-8', async () => {
    const file = await writeConfig(head);
    await writeFile(join(dirname(file), 'packs/mail/policy.json'), Buffer.from([0x7b, 0x0a, 0xff, 0x7d]));
    const fault = await codedFault(readConfig({ file, env: {} }));
    expect(fault.faults[0]).toMatch(/policy\.json \$ \(line 2\): is not UTF-8/);
  });

  it('never throws anything but a fault of the catalogue, whatever the file holds', async () => {
    const file = await writeConfig(head);
    const yaml = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.string({
        unit: fc.constantFrom('-', ' ', '\n', ':', '{', '}', '[', '&a', '*a', '"', 'version', '1', '#'),
      }),
      fc
        .anything()
        .map(
          (value) =>
            `${head}sources: ${JSON.stringify(value, (_k, v) => (typeof v === 'bigint' ? 1 : v)) ?? ''}`,
        ),
    );
    await fc.assert(
      fc.asyncProperty(yaml, async (text) => {
        await writeFile(file, text);
        const outcome = await readConfig({ file, env: {} }).catch((error: unknown) => error);
        expect(outcome instanceof Error ? outcome : null).toSatisfy(
          (error) => error === null || /^(CONFIG_|PACK_)/.test((error as { code?: string }).code ?? ''),
        );
      }),
      { numRuns: 150 },
    );
    await rm(dirname(file), { recursive: true });
  });
});
