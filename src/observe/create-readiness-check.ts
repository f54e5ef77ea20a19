import type { PartitionState } from './describe-partitions.ts';

/** One thing that must work for this process to be of use, and how long finding out took. */
type Check = { ok: boolean; ms: number; detail?: string; warnings?: readonly string[] };

export type Readiness = {
  ready: boolean;
  stopping: boolean;
  checks: Record<string, Check>;
  partitions: readonly PartitionState[];
  /** Pack processes that are run here. A crash loop is shown and does not make us not ready: a restart of ours mends no pack. */
  processes: readonly { source: string; state: string }[];
  /** What sources brought, and which fell silent: shown, and never a reason not to be ready. */
  sources: readonly { source: string; silent: boolean }[];
};

type ReadinessParts = {
  isStopping: () => boolean;
  /** A real write on each store in use; resolves with warnings, rejects with what is wrong. */
  probes: Readonly<Record<string, () => Promise<readonly string[]>>>;
  partitions: () => Promise<readonly PartitionState[]>;
  processes: () => Readiness['processes'];
  sources: () => Readiness['sources'];
  /** Milliseconds that one probe may take. */
  deadlineMs: number;
};

/**
 * Whether this process can accept and move work, and what not. Registered is not healthy: each store is written to, and
 * a partition that has work but did not move makes us not ready even where everything answers.
 */
export const createReadinessCheck =
  ({ isStopping, probes, partitions, processes, sources, deadlineMs }: ReadinessParts) =>
  async (): Promise<Readiness> => {
    const names = Object.keys(probes);
    const checks = Object.fromEntries(
      await Promise.all(
        names.map(async (name) => [name, await probeWithin(probes[name], deadlineMs)] as const),
      ),
    );
    const moved = await within(partitions(), deadlineMs).catch(() => []);
    const ready =
      !isStopping() && Object.values(checks).every(({ ok }) => ok) && !moved.some(({ stuck }) => stuck);
    return {
      ready,
      stopping: isStopping(),
      checks,
      partitions: moved,
      processes: processes(),
      sources: sources(),
    };
  };

const probeWithin = async (
  probe: (() => Promise<readonly string[]>) | undefined,
  deadlineMs: number,
): Promise<Check> => {
  const started = performance.now();
  const took = (): number => Math.round(performance.now() - started);
  try {
    const warnings = probe === undefined ? [] : await within(probe(), deadlineMs);
    return { ok: true, ms: took(), ...(warnings.length > 0 ? { warnings } : {}) };
  } catch (error) {
    return { ok: false, ms: took(), detail: error instanceof Error ? error.message : String(error) };
  }
};

const within = async <T>(work: Promise<T>, deadlineMs: number): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
  });
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer));
};
