import type { RedisInspection } from '../queue/inspect-redis.ts';
import type { PostgresInspection } from '../store/inspect-postgres.ts';

/** What a store does with what it has taken: in one sentence, and what of it an operator should be warned of. */
export type Durability = { survives: string; warnings: readonly string[] };

/** https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/ */
const redisSurvives = ({ server, appendonly, appendfsync }: RedisInspection): string => {
  if (server === 'dragonfly') return 'a restart of Dragonfly loses what its last snapshot does not hold';
  if (!appendonly) return 'it is in memory alone: a restart of Redis loses what was not yet recorded';
  if (appendfsync === 'always') return 'it is on disk: it survives a crash of Redis and of the machine';
  if (appendfsync === 'everysec')
    return 'it survives a crash of Redis; a crash of the machine may lose about the last second';
  if (appendfsync === 'no')
    return 'it survives a crash of Redis; a crash of the machine may lose what the system had not written, often 30 s';
  return 'it survives a restart of Redis; how much a crash of the machine loses, the server does not tell';
};

/** https://www.postgresql.org/docs/current/runtime-config-wal.html */
const postgresSurvives = ({ fsync, synchronousCommit }: PostgresInspection): string => {
  if (fsync === 'off')
    return 'it survives a crash of Postgres; a crash of the machine may ruin the whole database';
  if (synchronousCommit === 'off')
    return 'a crash of Postgres or of the machine may lose about the last second';
  if (synchronousCommit === 'on') return 'it is on disk: it survives a crash of Postgres and of the machine';
  return `it is on disk here: it survives a crash of Postgres and of the machine (synchronous_commit ${synchronousCommit})`;
};

/** A sentence and warnings for the store whose facts are given; pure. */
export const describeDurability = (
  store: { kind: 'redis'; facts: RedisInspection } | { kind: 'postgres'; facts: PostgresInspection },
): Durability => {
  if (store.kind === 'redis') {
    const { facts } = store;
    const slow =
      facts.appendonly && facts.appendfsync === 'no'
        ? ['appendfsync is no: a crash of the machine loses acknowledged deliveries. Set everysec or always.']
        : [];
    return { survives: redisSurvives(facts), warnings: [...facts.warnings, ...slow] };
  }
  const { fsync, synchronousCommit, fullPageWrites } = store.facts;
  return {
    survives: postgresSurvives(store.facts),
    warnings: [
      ...(fsync === 'off' ? ['fsync is off: a crash of the machine may ruin the database. Set it on.'] : []),
      ...(synchronousCommit === 'off'
        ? ['synchronous_commit is off: a crash loses what was acknowledged last. Set it on.']
        : []),
      ...(fullPageWrites === 'off' && fsync === 'on'
        ? ['full_page_writes is off: a crash of the machine may leave torn pages. Set it on.']
        : []),
    ],
  };
};
