import { Gauge, type Registry } from 'prom-client';
import type { SourceState } from './create-source-watch.ts';

/** Adds what sources brought, as it stands when asked for. */
export const watchSources = (registry: Registry, states: () => readonly SourceState[]): void => {
  const labels = { labelNames: ['source'], registers: [registry] };
  new Gauge({
    ...labels,
    name: 'hcp_sense_source_last_accepted_seconds',
    help: 'When this source last brought something, over all processes and restarts, in Unix seconds',
    collect() {
      for (const { source, last_accepted_at: at } of states())
        if (at !== null) this.set({ source }, Date.parse(at) / 1000);
    },
  });
  new Gauge({
    ...labels,
    name: 'hcp_sense_source_silent',
    help: 'Whether this source brought nothing for longer than its silence_after: 1 or 0',
    collect() {
      for (const { source, silent } of states()) this.set({ source }, silent ? 1 : 0);
    },
  });
};
