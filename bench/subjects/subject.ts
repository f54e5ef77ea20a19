import type { BenchProcess } from '../harness/start-process.ts';
import type { RunStores } from '../harness/start-stores.ts';

export type SubjectContext = {
  stores: RunStores | null;
  /** A directory of this run's own, for configuration and logs. */
  dir: string;
  secret: string;
  accounts: number;
  /** Start only the process that receives: what it takes when nothing else wants the machine. */
  receiverOnly: boolean;
  /** Options of node for every process of the subject (profiling). */
  nodeArgs: readonly string[];
};

export type RunningSubject = {
  /** The receiving process first. */
  processes: readonly BenchProcess[];
  port: number;
  path: string;
};

/** One of the three that are compared. */
export type Subject = {
  id: 'ceiling' | 'by-hand' | 'ours';
  title: string;
  /** Its table of records, with `received_at` and `recorded_at`; null where nothing is stored. */
  relation: string | null;
  start(context: SubjectContext): Promise<RunningSubject>;
};
