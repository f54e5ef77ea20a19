import { Command, InvalidArgumentError, Option } from 'commander';
import { startApp } from '../app.ts';
import type { Role } from '../config/loaded-config.ts';
import { roles } from '../config/loaded-config.ts';
import { createLogger } from '../observe/create-logger.ts';
import { loadConfig } from './load-config.ts';
import { runUntilSignal } from './run-until-signal.ts';

const port = (text: string): number => {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw new InvalidArgumentError('expected 0 to 65535');
  return value;
};

/** `hcp-sense start`: runs until it is told to stop. */
export const startCommand = (): Command =>
  new Command('start')
    .description('run the worker: receive, record, surface and wake, or one of these roles')
    .option('-c, --config <file>', 'configuration (default: SENSE_CONFIG, else ./sense.yaml)')
    .addOption(new Option('--role <role>', 'what this process does').choices(roles).default('all'))
    .option('--port <port>', 'listen here instead of http.port (several roles on one host)', port)
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent', 'info')
    .addHelpText(
      'after',
      `
Roles: ingress (deliveries and the API), worker (records, sweeps), wake (calls Execute; the only one that is given its
token), fanout (surfaces records). Each answers /healthz, /readyz and /metrics.`,
    )
    .action(async (options: { role: Role; port?: number; logLevel: string }, command: Command) => {
      const loaded = await loadConfig(command, { role: options.role });
      const log = createLogger(options.logLevel);
      const app = await startApp({ loaded, role: options.role, log, port: options.port });
      await runUntilSignal(app, log);
    });
