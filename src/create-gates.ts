import type { Logger } from 'pino';
import type { Config, HttpSourceConfig } from './config/schema.ts';
import { createNetworkCheck } from './ingress/create-network-check.ts';
import { createTokenBucket } from './ingress/create-token-bucket.ts';
import type { Gate } from './ingress/gate.ts';
import { createSharedBuckets } from './queue/create-shared-buckets.ts';
import type { QueueStore } from './queue/queue-store-of.ts';

type SharedBuckets = Pick<ReturnType<typeof createSharedBuckets>, 'take' | 'close'>;

/** The shared bucket where its store answers, else one of this process: a limit never refuses because Redis is away. */
const createSpender = (
  { id, rate_limit: limit }: HttpSourceConfig,
  shared: SharedBuckets | null,
): Gate['spend'] => {
  if (limit === undefined) return null;
  const pace = {
    perSecond: limit.per_second,
    burst: limit.burst ?? Math.max(1, Math.ceil(limit.per_second)),
  };
  const own = createTokenBucket(pace, () => performance.now());
  if (shared === null) return own;
  return async () => (await shared.take(id, pace)) ?? own();
};

/** What each way in over HTTP lets in. `close` ends what the limits need. */
export const createGates = ({
  config,
  store,
  log,
}: {
  config: Pick<Config, 'sources' | 'http'>;
  store: QueueStore;
  log: Logger;
}): { gates: ReadonlyMap<string, Gate>; close: () => Promise<void> } => {
  const sources = config.sources.filter(
    ({ type }) => type === 'webhook' || type === 'vendor',
  ) as HttpSourceConfig[];
  const isLimited = sources.some(({ rate_limit }) => rate_limit !== undefined);
  const shared = isLimited && store.kind === 'redis' ? createSharedBuckets({ url: store.url, log }) : null;
  const gates = sources.map((source): [string, Gate] => [
    source.id,
    {
      bodyLimit: source.body_limit ?? config.http.body_limit,
      paused: source.paused,
      admitsPeer: source.networks === undefined ? null : createNetworkCheck(source.networks),
      spend: createSpender(source, shared),
    },
  ]);
  return { gates: new Map(gates), close: async () => shared?.close() };
};
