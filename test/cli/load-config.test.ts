import { Command } from 'commander';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../src/cli/load-config.ts';
import { codedFault, writeConfig } from '../config/write-config.ts';

const yaml = (tenant: string): string =>
  `version: 1\ntenant: ${tenant}\npacks: [{ dir: packs/mail }]\ntokens: [{ id: ops, role: admin, secret: { env: TEST_ADMIN_TOKEN } }]\n`;

const commandWith = (...args: string[]): Command => {
  const program = new Command('hcp-sense');
  const command = program
    .command('start')
    .option('-c, --config <file>')
    .action(() => undefined);
  program.parse(['start', ...args], { from: 'user' });
  return command;
};

afterEach(() => vi.unstubAllEnvs());

describe('loadConfig', () => {
  it('takes --config before SENSE_CONFIG, and SENSE_CONFIG before ./sense.yaml', async () => {
    vi.stubEnv('SENSE_CONFIG', await writeConfig(yaml('from-environment')));
    const given = await writeConfig(yaml('from-option'));
    expect((await loadConfig(commandWith('-c', given))).config.tenant).toBe('from-option');
    expect((await loadConfig(commandWith())).config.tenant).toBe('from-environment');
    vi.stubEnv('SENSE_CONFIG', '');
    expect((await codedFault(loadConfig(commandWith()))).message).toMatch(
      /^sense\.yaml does not exist\. Name one with --config/,
    );
  });

  it('G7: reads no secret unless the command starts a role', async () => {
    const file = await writeConfig(yaml('acme'));
    expect((await loadConfig(commandWith('-c', file))).secrets.tokens.size).toBe(0);
    expect((await codedFault(loadConfig(commandWith('-c', file), { role: 'ingress' }))).message).toContain(
      'token "ops": environment variable TEST_ADMIN_TOKEN is unset',
    );
  });
});
