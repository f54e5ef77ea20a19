import { setTimeout as sleep } from 'node:timers/promises';
import { ours } from '../subjects/ours.ts';
import { type RunOptions, withSubject } from './measure-run.ts';
import { percentile } from './percentile.ts';
import { readProcess } from './read-process.ts';
import { ask, countAll } from './read-records.ts';
import { startLoad } from './start-load.ts';
import type { Backend, BenchStores } from './start-stores.ts';

const sampleMs = 500;
const stuckMs = 60_000;

export type MemorySample = { recorded: number; worker: number; ingress: number };
export type MemoryResult = {
  events: number;
  samples: MemorySample[];
  /** Median resident bytes of the worker in each quarter of the events. */
  quarters: [number, number, number, number];
};

/**
 * Our worker over many events: its resident memory, sampled until the last is recorded. The first quarter is warming up
 * (code compiled, pools opened); a leak shows in the last against the second.
 */
export const measureMemory = (
  run: { backend: Backend; stores: BenchStores; options: RunOptions },
  events: number,
): Promise<MemoryResult> =>
  withSubject({ ...run, subject: ours }, async ({ port, path, secret, databaseUrl, pids }) => {
    const { connections, accounts } = run.options;
    const { worker: workerPid, ingress: ingressPid } = pids;
    if (databaseUrl === null || workerPid === undefined || ingressPid === undefined)
      throw new Error('not started');
    const load = await startLoad({
      ...{ port, path, secret, connections, accounts },
      ...{ prepare: events, warmUpMs: 0, windowMs: null, rate: null },
    });
    let failure: unknown;
    const done = load.go().catch((error: unknown) => {
      failure = error;
    });

    const samples = await ask(databaseUrl, async (client) => {
      const taken: MemorySample[] = [];
      let movedAt = Date.now();
      for (let recorded = 0; recorded < events; await sleep(sampleMs)) {
        const count = await countAll(client, 'sense.records');
        if (count > recorded) movedAt = Date.now();
        recorded = count;
        const [worker, ingress] = await Promise.all([readProcess(workerPid), readProcess(ingressPid)]);
        taken.push({ recorded, worker: worker.resident, ingress: ingress.resident });
        if (failure !== undefined) throw failure;
        if (Date.now() - movedAt > stuckMs)
          throw new Error(`${recorded} of ${events} recorded, and no more comes`);
      }
      return taken;
    });
    await done;
    const quarter = (at: number): number =>
      percentile(
        samples
          .filter(({ recorded }) => Math.min(3, Math.floor((recorded / events) * 4)) === at)
          .map((each) => each.worker),
        0.5,
      );
    return { events, samples, quarters: [quarter(0), quarter(1), quarter(2), quarter(3)] };
  });
