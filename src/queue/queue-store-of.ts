import { CodedError } from '../domain/errors.ts';

/** Where batches wait: one of BullMQ's backends. */
export type QueueStore = { kind: 'redis' | 'postgres'; url: string };

const kinds: Readonly<Record<string, QueueStore['kind']>> = {
  'redis:': 'redis',
  'rediss:': 'redis',
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
};

/**
 * The store that a URL names, by its scheme. The URL itself is never repeated in the error: it may hold a password.
 *
 * @throws CodedError CONFIG_INVALID
 */
export const queueStoreOf = (url: string): QueueStore => {
  const scheme = URL.canParse(url) ? new URL(url).protocol : '';
  const kind = kinds[scheme];
  if (kind === undefined) {
    throw new CodedError(
      'CONFIG_INVALID',
      `queue.url starts with ${scheme === '' ? 'no scheme' : `${scheme}//`}; redis://, rediss://, postgres:// or postgresql:// is expected`,
    );
  }
  return { kind, url };
};
