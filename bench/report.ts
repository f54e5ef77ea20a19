import type { MemoryResult } from './harness/measure-memory.ts';
import type { RunOptions, RunResult } from './harness/measure-run.ts';
import { printTable } from './harness/print-table.ts';
import type { Backend } from './harness/start-stores.ts';
import { type Spread, summarize } from './harness/summarize.ts';
import type { Subject } from './subjects/subject.ts';

export type MeasuredRun = {
  round: number;
  subject: Subject['id'];
  title: string;
  backend: Backend | null;
  full: RunResult;
  /** Its receiving process with no other of its processes; null where it has only that one. */
  alone: RunResult | null;
  /** At half of what `full` recorded a second; null where nothing is stored. */
  half: RunResult | null;
};

/** What issue "One event, end to end" asks for. */
const targets = {
  recordedTimes: { redis: 4, postgres: 10 },
  acceptedShare: 0.6,
  p99Ms: 100,
  growth: 1.1,
} as const;

const megabyte = 1024 * 1024;
const whole = (value: number): string => (Number.isNaN(value) ? '-' : Math.round(value).toString());
const tenth = (value: number): string => value.toFixed(1);
const spread = ({ median, min, max }: Spread, format: (value: number) => string): string =>
  `${format(median)} (${format(min)}–${format(max)})`;

/** Prints medians with their extremes over the rounds, and what was asked for beside what was measured. */
export const reportRuns = (runs: readonly MeasuredRun[], { windowMs }: RunOptions): void => {
  const seconds = windowMs / 1000;
  const select = (subject: Subject['id'], backend: Backend | null): MeasuredRun[] =>
    runs.filter((run) => run.subject === subject && run.backend === backend);
  const over = (chosen: readonly MeasuredRun[], read: (run: MeasuredRun) => number): Spread =>
    summarize(chosen.map(read));
  const accepted = (run: MeasuredRun): number => run.full.load.accepted / seconds;
  const alone = (run: MeasuredRun): number => (run.alone ?? run.full).load.accepted / seconds;
  const recorded = (run: MeasuredRun): number => (run.full.recorded ?? Number.NaN) / seconds;
  const p99 = (run: MeasuredRun): number => run.half?.delays?.recorded.p99 ?? Number.NaN;

  const groups = [...new Map(runs.map((run) => [`${run.subject} ${run.backend}`, run])).values()];
  console.log(
    '\nUnder full load, and at half of the own recorded rate: median (lowest–highest of the rounds)\n',
  );
  printTable(
    [
      'subject',
      'queue on',
      'receiver alone: accepted/s',
      'accepted/s',
      'recorded/s',
      'p50 ms',
      'p99 ms',
      'p99 to commit ms',
      'CPU ms/event',
      'peak MB',
    ],
    groups.map(({ subject, backend, title }) => {
      const chosen = select(subject, backend);
      const stored = backend !== null;
      const delay = (read: (run: MeasuredRun) => number | undefined): string =>
        stored
          ? spread(
              over(chosen, (run) => read(run) ?? Number.NaN),
              tenth,
            )
          : '-';
      return [
        title,
        backend ?? '-',
        spread(over(chosen, alone), whole),
        stored ? spread(over(chosen, accepted), whole) : '-',
        stored ? spread(over(chosen, recorded), whole) : '-',
        delay((run) => run.half?.delays?.recorded.p50),
        delay(p99),
        delay((run) => run.half?.delays?.committed.p99),
        costs(chosen),
        peaks(chosen),
      ];
    }),
  );

  const rows: string[][] = [];
  const judge = (what: string, asked: string, measured: number, unit: '×' | 'ms', met: boolean): void => {
    if (Number.isNaN(measured)) return;
    const shown = unit === '×' ? measured.toFixed(2) : tenth(measured);
    rows.push([what, `${asked} ${unit}`, `${shown} ${unit}`, met ? 'met' : 'missed']);
  };
  const ceiling = over(select('ceiling', null), accepted).median;
  for (const backend of ['redis', 'postgres'] as const) {
    const ours = select('ours', backend);
    const times = over(ours, recorded).median / over(select('by-hand', backend), recorded).median;
    const least = targets.recordedTimes[backend];
    judge(`${backend}: recorded/s against (b)`, `≥ ${least}`, times, '×', times >= least);
    // Both, because they answer different questions: what receiving costs, and what is left for it on this machine when
    // load, receiver, recorder and stores share its cores.
    const shares = { 'receiver alone': over(ours, alone), 'while recording': over(ours, accepted) };
    for (const [when, rate] of Object.entries(shares)) {
      const share = rate.median / ceiling;
      const isEnough = share >= targets.acceptedShare;
      judge(
        `${backend}: accepted/s against (a), ${when}`,
        `≥ ${targets.acceptedShare}`,
        share,
        '×',
        isEnough,
      );
    }
    const delay = over(ours, p99).median;
    judge(
      `${backend}: p99 accept to record at half load`,
      `≤ ${targets.p99Ms}`,
      delay,
      'ms',
      delay <= targets.p99Ms,
    );
  }
  console.log('');
  if (rows.length > 0) printTable(['target', 'asked', 'measured', ''], rows);
};

/**
 * CPU milliseconds that one event costs under full load, in the process that receives and in the one that records.
 * Unlike rates they hardly move with what else the machine is doing.
 */
const costs = (runs: readonly MeasuredRun[]): string => {
  const cost = (at: number, eventsOf: (run: MeasuredRun) => number | null): number =>
    summarize(runs.map((run) => ((run.full.processes[at]?.cpuSeconds ?? 0) * 1000) / (eventsOf(run) ?? 0)))
      .median;
  const receive = cost(0, ({ full }) => full.load.acceptedInAll).toFixed(3);
  if (runs.some(({ full }) => full.recordedInAll === null)) return receive;
  return `${receive} + ${cost(1, ({ full }) => full.recordedInAll).toFixed(3)}`;
};

/** Peak memory of each of the subject's own processes, over all runs. */
const peaks = (runs: readonly MeasuredRun[]): string => {
  const byName = new Map<string, number>();
  for (const { full, half } of runs) {
    for (const { name, peakBytes } of [...full.processes, ...(half?.processes ?? [])]) {
      if (name !== 'postgres') byName.set(name, Math.max(byName.get(name) ?? 0, peakBytes));
    }
  }
  return [...byName].map(([name, bytes]) => `${name} ${whole(bytes / megabyte)}`).join(', ');
};

/** Prints the worker's memory by quarters of the events. */
export const reportMemory = (backend: Backend, { events, samples, quarters }: MemoryResult): void => {
  const [, second, , last] = quarters;
  const growth = last / second;
  console.log(
    `\nMemory of our worker over ${events} events, queue on ${backend} (${samples.length} samples)\n`,
  );
  printTable(
    ['quarter of the events', 'resident MB (median)'],
    quarters.map((bytes, at) => [`${at + 1}`, whole(bytes / megabyte)]),
  );
  const verdict = growth <= targets.growth ? 'flat' : 'NOT flat';
  console.log(
    `\nlast quarter against the second: × ${growth.toFixed(2)} (asked: ≤ ${targets.growth}), ${verdict}`,
  );
};
