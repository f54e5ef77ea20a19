import type { SurfacedRecord } from '../store/read-surfacings.ts';

/**
 * Where recorded triggers surface (S22). One file per sink; test/sinks/sink-contract.ts is what each must pass.
 * `surface` returns when the sink has taken all of them; until then they are offered again, so it is called more than
 * once with the same record and must make one of it, told by `record_id`.
 */
export type Sink = {
  /** Stands in sense.surfacings: never renamed while rows of it are open. */
  name: string;
  surface(records: readonly SurfacedRecord[]): Promise<void>;
};
