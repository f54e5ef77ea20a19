// Run as a process of its own by the tests of the embedded Postgres, from what `npm run build` made: opens the one at a
// place, says where it is, then waits to be stopped. Arguments: place, spare root.
import { pino } from 'pino';
import { openEmbeddedPostgres } from '../../dist/src/embedded/open-embedded-postgres.js';

const [dir, spareRoot] = process.argv.slice(2);
try {
  const { stop, ...told } = await openEmbeddedPostgres({ dir, spareRoot, log: pino({ level: 'silent' }) });
  process.stdout.write(`${JSON.stringify(told)}\n`);
  process.on('SIGTERM', () => stop().then(() => process.exit(0)));
  setInterval(() => undefined, 60_000);
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: error.message })}\n`);
  process.exitCode = 1;
}
