/** What one source brought, for readiness and metrics. */
export type SourceState = {
  source: string;
  /** RFC 3339; null: never. */
  last_accepted_at: string | null;
  /** Nothing for longer than its `silence_after`. */
  silent: boolean;
};

type Activity = { source: string; since: number; acceptedAt: number | null };

type Options = {
  /** `silenceMs`: null where silence means nothing. */
  sources: readonly { id: string; silenceMs: number | null }[];
  /** Hands in what this process saw and gets what all did. Milliseconds since 1970. */
  exchange: (latest: ReadonlyMap<string, number | null>) => Promise<readonly Activity[]>;
  clock: () => number;
};

type Fact = { source: string | null; status: number; code: string | null; delivery?: string | null };

/** Makes what knows when each source last brought something. Silence is reported, never a reason not to be ready. */
export const createSourceWatch = ({ sources, exchange, clock }: Options) => {
  const seen = new Map<string, number>();
  let known = new Map<string, Activity>();

  const latestOf = (source: string): number | null => {
    const here = seen.get(source) ?? null;
    const there = known.get(source)?.acceptedAt ?? null;
    return here === null || there === null ? (here ?? there) : Math.max(here, there);
  };

  return {
    /** Each delivery, job or line as it was answered. A handshake (`delivery` null) is no sign of life of events. */
    note({ source, status, code, delivery }: Fact): void {
      if (source !== null && code === null && status < 300 && delivery !== null) seen.set(source, clock());
    },
    /** To be called now and then; what it could not hand in is handed in the next time. */
    async exchange(): Promise<void> {
      const latest = new Map(sources.map(({ id }) => [id, seen.get(id) ?? null]));
      known = new Map((await exchange(latest)).map((activity) => [activity.source, activity]));
    },
    states: (): SourceState[] =>
      sources.map(({ id, silenceMs }) => {
        const latest = latestOf(id);
        const since = latest ?? known.get(id)?.since ?? clock();
        return {
          source: id,
          last_accepted_at: latest === null ? null : new Date(latest).toISOString(),
          silent: silenceMs !== null && clock() - since > silenceMs,
        };
      }),
  };
};
