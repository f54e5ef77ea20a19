import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from './config/schema.ts';
import { createSourceWatch, type SourceState } from './observe/create-source-watch.ts';
import { watchSources } from './observe/watch-sources.ts';
import { createSweeper } from './pipeline/create-sweeper.ts';
import { keepSourceActivity } from './store/keep-source-activity.ts';

/** How often what was seen is kept: what a killed process saw in between is lost, which is no harm. */
const KEEP_MS = 10_000;

type Fact = { source: string | null; status: number; code: string | null; delivery?: string | null };

type Parts = {
  /** False in a role that takes nothing in: it has nothing to say of sources. */
  runs: boolean;
  config: Pick<Config, 'sources'>;
  pool: Pool;
  metrics: { registry: Registry; onDelivery: (fact: Fact) => void };
  log: Logger;
};

/** Watches over sources that fall silent: kept in Postgres, shown in `/readyz` and metrics. */
export const startSourceWatch = ({ runs, config, pool, metrics, log }: Parts) => {
  const watch = createSourceWatch({
    sources: (runs ? config.sources : []).map(({ id, paused, silence_after }) => ({
      id,
      silenceMs: paused ? null : (silence_after ?? null),
    })),
    exchange: (latest) => keepSourceActivity(pool, latest),
    clock: Date.now,
  });
  const { onDelivery } = metrics;
  if (!runs) return { onDelivery, states: (): SourceState[] => [], close: async () => undefined };
  watchSources(metrics.registry, watch.states);
  const sweeper = createSweeper({ periodMs: KEEP_MS, log, tasks: { activity: watch.exchange } });
  return {
    /** Counts it in metrics as well. */
    onDelivery(fact: Fact): void {
      onDelivery(fact);
      watch.note(fact);
    },
    states: watch.states,
    async close(): Promise<void> {
      await sweeper.stop();
      await watch.exchange();
    },
  };
};
