import { mkdir, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { measureMemory } from './harness/measure-memory.ts';
import { measureRun, type RunOptions } from './harness/measure-run.ts';
import { type Backend, type BenchStores, startStores } from './harness/start-stores.ts';
import { type MeasuredRun, reportMemory, reportRuns } from './report.ts';
import { byHand } from './subjects/by-hand.ts';
import { ceiling } from './subjects/ceiling.ts';
import { ours } from './subjects/ours.ts';
import type { Subject } from './subjects/subject.ts';

const help = `npm run bench -- [options]        (Linux; what is measured and how: docs/benchmarks.md)
  --rounds N                   rounds, each in another order (5)
  --seconds N                  measured seconds of each run, after the warm-up (10)
  --backend redis|postgres|all the queue's store (all)
  --subjects a,b,c             which of ceiling, by-hand and ours (all three)
  --connections N              connections of the load (64)
  --quick                      one round of two seconds: does it all still run?
  --memory                     instead: our worker's memory over --events events (200000)
  --profile DIR                write CPU profiles of the subjects' processes into DIR; the figures suffer`;

type Entry = { subject: Subject; backend: Backend | null };

const { values: flags } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '10' },
    backend: { type: 'string', default: 'all' },
    subjects: { type: 'string', default: 'ceiling,by-hand,ours' },
    connections: { type: 'string', default: '64' },
    events: { type: 'string', default: '200000' },
    quick: { type: 'boolean', default: false },
    memory: { type: 'boolean', default: false },
    profile: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const main = async (): Promise<void> => {
  if (flags.help) {
    console.log(help);
    return;
  }
  const rounds = flags.quick ? 1 : Number(flags.rounds);
  const options: RunOptions = {
    connections: Number(flags.connections),
    accounts: 100,
    warmUpMs: flags.quick ? 1000 : 3000,
    windowMs: flags.quick ? 2000 : Number(flags.seconds) * 1000,
    preparedPerSecond: 30_000,
    profileDir: flags.profile === undefined ? null : resolve(flags.profile),
  };
  const backends = (['redis', 'postgres'] as const).filter(
    (each) => flags.backend === 'all' || flags.backend === each,
  );
  const stores = await startStores();
  try {
    if (flags.memory) await runMemory(backends, stores, options);
    else await runRounds(rounds, backends, stores, options);
  } finally {
    await stores.stop();
  }
};

const runMemory = async (
  backends: readonly Backend[],
  stores: BenchStores,
  options: RunOptions,
): Promise<void> => {
  for (const backend of backends) {
    const result = await measureMemory({ backend, stores, options }, Number(flags.events));
    await save(`memory-${backend}`, { machine, options, backend, result });
    reportMemory(backend, result);
  }
};

const runRounds = async (
  rounds: number,
  backends: readonly Backend[],
  stores: BenchStores,
  options: RunOptions,
): Promise<void> => {
  const wanted = flags.subjects.split(',');
  const entries: Entry[] = [
    { subject: ceiling, backend: null },
    ...backends.flatMap((backend) => [byHand, ours].map((subject) => ({ subject, backend }))),
  ].filter(({ subject }) => wanted.includes(subject.id));

  const runs: MeasuredRun[] = [];
  for (let round = 0; round < rounds; round += 1) {
    // Another one first in each round, so that what warms up or fills up on the machine hits each in turn.
    const first = round % entries.length;
    for (const { subject, backend } of [...entries.slice(first), ...entries.slice(0, first)]) {
      const run = { subject, backend, stores, options };
      const full = await measureRun(run, null);
      const perSecond = full.recorded === null ? null : full.recorded / (options.windowMs / 1000);
      const alone = backend === null ? null : await measureRun({ ...run, receiverOnly: true }, null);
      const half = perSecond === null ? null : await measureRun(run, Math.max(1, perSecond / 2));
      runs.push({ round, subject: subject.id, title: subject.title, backend, full, alone, half });
      progress(round, rounds, subject, backend, full.load.accepted, full.recorded, options.windowMs);
    }
  }
  const file = await save('bench', { machine, options, rounds, runs });
  reportRuns(runs, options);
  console.log(`\nall figures: ${file}`);
};

const progress = (
  round: number,
  rounds: number,
  subject: Subject,
  backend: Backend | null,
  accepted: number,
  recorded: number | null,
  windowMs: number,
): void => {
  const perSecond = (count: number): string => `${Math.round((count * 1000) / windowMs)}/s`;
  const stored = recorded === null ? '' : `, recorded ${perSecond(recorded)}`;
  console.log(
    `round ${round + 1}/${rounds}  ${subject.title} ${backend ?? ''}  accepted ${perSecond(accepted)}${stored}`,
  );
};

const machine = {
  cpus: cpus().length,
  model: cpus()[0]?.model ?? '',
  memoryBytes: totalmem(),
  node: process.version,
  at: new Date().toISOString(),
};

const save = async (name: string, content: unknown): Promise<string> => {
  const directory = join(import.meta.dirname, '..', '..', 'bench', 'results');
  await mkdir(directory, { recursive: true });
  const file = join(directory, `${name}-${machine.at.replaceAll(':', '')}.json`);
  await writeFile(file, `${JSON.stringify(content, null, 2)}\n`);
  return file;
};

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
await main();
