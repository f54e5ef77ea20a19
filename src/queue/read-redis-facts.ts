export type RedisFacts = {
  /** `redis`, `valkey` or `dragonfly`. */
  server: string;
  version: string;
  maxmemoryPolicy: string;
  appendonly: boolean;
  usedBytes: number;
  /** 0: no bound. */
  maxBytes: number;
  cluster: boolean;
  warnings: readonly string[];
};

const servers = ['dragonfly', 'valkey', 'redis'] as const;
const oldest = [6, 2] as const;

/** What the answer to INFO says that bears on keeping events, and a sentence for everything that speaks against it. */
export const readRedisFacts = (info: string): RedisFacts => {
  const fields = new Map(
    info.split(/\r?\n/).flatMap((line): [string, string][] => {
      const at = line.indexOf(':');
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)]] : [];
    }),
  );
  const server = servers.find((name) => fields.has(`${name}_version`)) ?? 'redis';
  const facts = {
    server,
    version: fields.get(`${server}_version`) ?? 'unknown',
    maxmemoryPolicy: fields.get('maxmemory_policy') ?? 'unknown',
    appendonly: fields.get('aof_enabled') === '1',
    usedBytes: Number(fields.get('used_memory') ?? 0),
    maxBytes: Number(fields.get('maxmemory') ?? 0),
    cluster: fields.get('cluster_enabled') === '1',
  };
  return { ...facts, warnings: warningsOf(facts) };
};

const warningsOf = (facts: Omit<RedisFacts, 'warnings'>): string[] => {
  const { server, version, maxmemoryPolicy, appendonly, usedBytes, maxBytes } = facts;
  const warnings: string[] = [];
  if (server === 'redis' && isOlder(version)) {
    warnings.push(`Redis 6.2 or newer is needed; this is ${version}.`);
  }
  if (server !== 'dragonfly' && maxmemoryPolicy !== 'noeviction') {
    warnings.push(
      `maxmemory-policy is ${maxmemoryPolicy}: Redis may throw away accepted deliveries when memory is short. Set it to noeviction.`,
    );
  }
  if (server !== 'dragonfly' && !appendonly) {
    warnings.push(
      'appendonly is off: a restart of Redis loses deliveries that were already acknowledged. Set appendonly yes.',
    );
  }
  if (maxBytes > 0 && usedBytes >= 0.9 * maxBytes) {
    warnings.push(
      `Memory is ${Math.round((100 * usedBytes) / maxBytes)} % of maxmemory: Redis refuses deliveries when it is full.`,
    );
  }
  return warnings;
};

const isOlder = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < oldest[0] || (major === oldest[0] && minor < oldest[1]);
};
