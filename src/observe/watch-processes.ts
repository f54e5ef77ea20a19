import { Counter, Gauge, type Registry } from 'prom-client';

/** What metrics say of a pack's process. */
type ProcessFacts = { source: string; pid: number | null; starts: number; bad_runs: number };

/** Adds the figures of pack processes, as they stand when asked for. */
export const watchProcesses = (registry: Registry, states: () => readonly ProcessFacts[]): void => {
  const labels = { labelNames: ['source'], registers: [registry] };
  new Gauge({
    ...labels,
    name: 'hcp_sense_process_up',
    help: 'Whether the process of this source runs here: 1 or 0',
    collect() {
      for (const { source, pid } of states()) this.set({ source }, pid === null ? 0 : 1);
    },
  });
  new Counter({
    ...labels,
    name: 'hcp_sense_process_starts_total',
    help: 'Starts of the process of this source by this process',
    collect() {
      this.reset();
      for (const { source, starts } of states()) this.inc({ source }, starts);
    },
  });
  new Gauge({
    ...labels,
    name: 'hcp_sense_process_bad_runs',
    help: 'Runs in a row that ended within a minute; from 5 on it is a crash loop',
    collect() {
      for (const { source, bad_runs } of states()) this.set({ source }, bad_runs);
    },
  });
};
