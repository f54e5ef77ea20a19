import type { LoadedConfig } from './loaded-config.ts';

/** Scheme, host and path: what a person needs to recognise a server, without user, password and query. */
const redactUrl = (url: string): string => {
  if (!URL.canParse(url)) return '(unreadable)';
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
};

const describeStore = (store: LoadedConfig['stores']['queue']): string =>
  store.kind === 'embedded' ? `embedded in ${store.dir}` : redactUrl(store.url);

/** The configuration as one object for the log line at start: what was understood, and no secret of it. */
export const describeConfig = ({ file, config, packs, stores, wakeRules }: LoadedConfig) => ({
  file,
  tenant: config.tenant,
  http: {
    host: config.http.host,
    port: config.http.port,
    public_url: config.http.public_url === undefined ? null : redactUrl(config.http.public_url),
    body_limit_bytes: config.http.body_limit,
  },
  packs: [...packs.values()].map(({ pack, routes }) => ({
    id: pack.id,
    triggers: [...pack.stimuli.keys()],
    routes: Object.fromEntries(routes),
  })),
  sources: config.sources.map((source) => ({
    id: source.id,
    type: source.type,
    packs: 'packs' in source ? (source.packs ?? [source.pack]) : [source.pack],
    vendor: source.type === 'vendor' ? source.vendor : null,
    queue: source.type === 'queue' ? source.queue : null,
    // The program alone: arguments may hold what is nobody's business.
    program: source.type === 'process' ? source.command[0] : null,
    paused: source.paused,
    live_secrets: 'secrets' in source ? source.secrets.length : 0,
  })),
  database: describeStore(stores.database),
  queue: {
    store: describeStore(stores.queue),
    partitions: config.queue.partitions,
    max_waiting: config.queue.max_waiting,
  },
  wakes: wakeRules.map(({ id, on, steps }) => ({
    id,
    on: `${on.pack}/${on.ref}`,
    steps: steps.map(({ verb }) => verb),
  })),
  execute: config.execute?.url === undefined ? null : redactUrl(config.execute.url),
  tokens: config.tokens.map(({ id, role }) => ({ id, role })),
});
