import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { sendCommand } from '../../src/cli/send-command.ts';
import { findProfile } from '../../src/ingress/vendors/find-profile.ts';
import { type Ingress, startIngress, whsec } from '../ingress/start-ingress.ts';

const issues = resolve(import.meta.dirname, '../../examples/packs/issues');
const mail = resolve(import.meta.dirname, '../../examples/packs/mail');
const vendors = ['github', 'slack', 'stripe'];

let dir: string;
let config: string;
let ingress: Ingress;
let printed: string[];

beforeAll(async () => {
  ingress = await startIngress([
    { settings: { id: 'mail-hook', type: 'webhook', pack: 'mail' }, secrets: [whsec] },
    ...vendors.map((vendor) => ({
      settings: { id: vendor, type: 'vendor' as const, vendor, pack: 'issues' },
      secrets: ['vendor-secret'],
    })),
  ]);
  dir = await mkdtemp(join(tmpdir(), 'send-'));
  config = join(dir, 'sense.yaml');
  await writeFile(join(dir, 'hook'), `${whsec}\n`);
  await writeFile(join(dir, 'vendor'), 'vendor-secret\n');
  await writeFile(join(dir, 'wrong'), 'another\n');
  const vendorSources = vendors.map(
    (vendor) =>
      `  - { id: ${vendor}, type: vendor, vendor: ${vendor}, pack: issues, secrets: [ { file: vendor } ] }`,
  );
  await writeFile(
    config,
    [
      'version: 1',
      'tenant: acme',
      `http: { port: ${ingress.port} }`,
      `packs: [ { dir: ${mail} }, { dir: ${issues} } ]`,
      'sources:',
      '  - { id: mail-hook, type: webhook, pack: mail, secrets: [ { file: hook } ] }',
      ...vendorSources,
      '  - { id: gone, type: vendor, vendor: github, pack: issues, secrets: [ { file: nowhere } ] }',
    ].join('\n'),
  );
});
afterAll(async () => {
  await ingress.close();
  await rm(dir, { recursive: true });
});
beforeEach(() => {
  printed = [];
  ingress.enqueued.length = 0;
  vi.spyOn(console, 'log').mockImplementation((line: string) => {
    printed.push(line);
  });
});
afterEach(() => {
  process.exitCode = 0;
});

const send = async (...words: string[]) => {
  process.exitCode = 0;
  const program = new Command().exitOverride().addCommand(sendCommand().exitOverride());
  await program.parseAsync(['send', '-c', config, ...words], { from: 'user' });
  return { exitCode: process.exitCode, out: printed.join('\n') };
};

describe('hcp-sense send', () => {
  test('mail-hook: a sample announcement that the quick start takes, with the way to explain it', async () => {
    const { exitCode, out } = await send('mail-hook', '--ref', 'new_item');
    expect(exitCode).toBe(0);
    const [sent] = ingress.enqueued;
    expect(sent).toMatchObject({ ref: 'new_item', accounts: ['inbox@example.com'] });
    expect(JSON.parse(sent?.data ?? '')).toMatchObject({ id: 'm1', subject: expect.any(String) });
    expect(out).toContain('202 accepted');
    expect(out).toContain(`hcp-sense explain -c ${config} mail-hook ${sent?.delivery}`);
  });

  test('--id, --account, --state and --data are sent as given, data as written', async () => {
    const data = '{"n":9007199254740993, "n":1}';
    await send(
      'mail-hook',
      '--ref',
      'binding.degraded',
      '--id',
      'e-1',
      '--account',
      'b@example.com',
      '--data',
      data,
    );
    expect(ingress.enqueued[0]).toMatchObject({
      event: 'e-1',
      delivery: 'e-1',
      accounts: ['b@example.com'],
      state: 'expired',
      data,
    });
  });

  test.each(
    vendors.flatMap((vendor) => Object.keys(findProfile(vendor).samples).map((event) => [vendor, event])),
  )('%s --event %s is verified by its own source', async (vendor, event) => {
    const { exitCode, out } = await send(vendor, '--event', event, '--json');
    const answer = JSON.parse(out);
    expect([exitCode, answer.ok]).toEqual([0, true]);
    if (event === 'ping' || event === 'url_verification') expect(ingress.enqueued).toEqual([]);
    else expect(ingress.enqueued[0]?.delivery).toBe(answer.delivery_id);
  });

  test.each([
    ['github', 'binding.degraded', 'installation:77'],
    ['github', 'new_item', 'installation:77'],
    ['slack', 'message.received', 'team:T0EXAMPLE'],
    ['stripe', 'payment.failed', 'account:self'],
  ])('%s --ref %s finds a sample that becomes it', async (vendor, ref, account) => {
    await send(vendor, '--ref', ref);
    expect(ingress.enqueued[0]?.ref).toBe(ref);
    expect(ingress.enqueued[0]?.accounts).toContain(account);
  });

  test.each([
    ['github', 'installation:78'],
    ['github', 'organization:9'],
    ['github', 'hook:12'],
    ['slack', 'team:T2'],
    ['stripe', 'account:acct_2'],
    ['stripe', 'account:self'],
  ])('%s --account %s makes the sample theirs', async (vendor, account) => {
    await send(vendor, '--account', account);
    expect(ingress.enqueued[0]?.accounts).toContain(account);
  });

  test('two sends are two events, one id is one', async () => {
    for (const words of [[], [], ['--id', 'x'], ['--id', 'x']]) await send('stripe', ...words);
    const hashes = ingress.enqueued.map(({ eventHash }) => eventHash);
    expect(new Set(hashes).size).toBe(3);
    expect(hashes[2]).toBe(hashes[3]);
  });

  test('--file sends those bytes, named by --event', async () => {
    const file = join(dir, 'body.json');
    await writeFile(file, '{ "action":"opened", "n": 1.0 }\r\n');
    await send('github', '--event', 'issues', '--file', file);
    expect(ingress.enqueued[0]).toMatchObject({
      ref: 'new_item',
      data: '{ "action":"opened", "n": 1.0 }\r\n',
    });
  });

  test('a refusal is exit code 1 and says why', async () => {
    const file = join(dir, 'bad.json');
    await writeFile(file, '{"ref":""}');
    const { exitCode, out } = await send('mail-hook', '--file', file);
    expect(exitCode).toBe(1);
    expect(out).toContain('ANNOUNCEMENT_INVALID');
  });

  test.each([
    [['nobody'], 'SOURCE_UNKNOWN'],
    [['gone'], 'SECRET_UNUSABLE'],
    [['github', '--event', 'no.such'], 'USAGE'],
    [['github', '--ref', 'no.such'], 'USAGE'],
    [['github', '--account', 'nothing:1'], 'USAGE'],
    [['github', '--data', '{}'], 'USAGE'],
    [['mail-hook', '--event', 'issues.opened'], 'USAGE'],
    [['mail-hook', '--data', '{'], 'USAGE'],
    [['mail-hook', '--file', '/no/such/file'], 'USAGE'],
    [['mail-hook', '--url', 'nonsense'], 'USAGE'],
    [['mail-hook', '--url', 'http://127.0.0.1:1'], 'SERVER_UNREACHABLE'],
  ])('%j is %s', async (words, code) => {
    await expect(send(...words)).rejects.toMatchObject({ code });
    expect(ingress.enqueued).toEqual([]);
  });
});
