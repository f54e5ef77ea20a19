import { Command } from 'commander';
import { createLogger } from '../observe/create-logger.ts';
import { prepareBullmqSchema } from '../queue/prepare-bullmq-schema.ts';
import { migrate } from '../store/migrate.ts';
import { loadConfig } from './load-config.ts';
import { withDatabase } from './with-database.ts';

/** `hcp-sense migrate`: what every start does too, for those who start with a role that may not create tables. */
export const migrateCommand = (): Command =>
  new Command('migrate')
    .summary('bring the database up to date')
    .description(
      'Creates or updates our tables (schema sense), and those of the queue where Postgres is the queue (schema bullmq).\nEvery start does this too; several at once wait for each other.',
    )
    .option('-c, --config <file>', 'configuration (default: SENSE_CONFIG, else ./sense.yaml)')
    .option('--json', 'print { applied: [name], queue_schema }')
    .action(async (options: { json?: boolean }, command: Command) => {
      const loaded = await loadConfig(command);
      const log = createLogger('warn');
      const { queue } = loaded.stores;
      const applied = await withDatabase(loaded, log, async (url) => {
        const names = await migrate(url, log);
        if (queue.kind === 'embedded') await prepareBullmqSchema(url);
        return names;
      });
      if (queue.kind === 'postgres') await prepareBullmqSchema(queue.url);
      const queueSchema = queue.kind !== 'redis';
      if (options.json) {
        console.log(JSON.stringify({ applied, queue_schema: queueSchema }));
        return;
      }
      for (const name of applied) console.log(`applied ${name}`);
      if (applied.length === 0) console.log('the database is up to date');
      if (queueSchema) console.log('the queue’s schema is up to date');
    });
