import type { Fetched } from './fetch-bounded.ts';
import type { Kept } from './remote-keys.ts';

type Entry<Value> = { kept: Kept<Value>; at: number; good: { value: Value; at: number } | null };

type Options<Value> = {
  get: (url: string) => Promise<Fetched>;
  /** Null where the text is not what it should be. */
  parse: (text: string) => Value | null;
  clock: () => number;
  /** Entries that are kept; the oldest goes first. */
  max: number;
};

const freshMs = 3_600_000;
/** How long an answer that helped nobody stands before the server is asked again, whatever callers send. */
const coolDownMs = 30_000;
/** How long a set outlives an outage of its server. */
const staleMs = 24 * 3_600_000;
/** Fetches in one cool-down over all URLs; a flood of made-up names is then answered from here. */
const maxFetches = 20;

/**
 * Keeps what was fetched by URL: one request at a time for each, an hour while it is good, a day while its server is away.
 * What callers name can make us ask no more than a bounded number of times in half a minute.
 */
export const createKeeper = <Value>({ get, parse, clock, max }: Options<Value>) => {
  const entries = new Map<string, Entry<Value>>();
  const running = new Map<string, Promise<Kept<Value>>>();
  let windowStart = 0;
  let fetches = 0;

  const mayFetch = (now: number): boolean => {
    if (now - windowStart > coolDownMs) {
      windowStart = now;
      fetches = 0;
    }
    fetches += 1;
    return fetches <= maxFetches;
  };

  const remember = (url: string, entry: Entry<Value>): void => {
    entries.delete(url);
    entries.set(url, entry);
    for (const oldest of entries.keys()) {
      if (entries.size <= max) break;
      entries.delete(oldest);
    }
  };

  const ask = async (url: string): Promise<Kept<Value>> => {
    const now = clock();
    if (!mayFetch(now))
      return { kind: 'away', why: 'too many keys were asked for; it is tried again in a while' };
    const good = entries.get(url)?.good ?? null;
    const fetched = await get(url);
    const value = fetched.kind === 'got' ? parse(fetched.text) : null;
    if (value !== null) {
      const kept = { kind: 'got', value } as const;
      remember(url, { kept, at: now, good: { value, at: now } });
      return kept;
    }
    const lost: Kept<Value> =
      fetched.kind === 'got' ? { kind: 'away', why: 'its answer is not understood' } : fetched;
    const kept: Kept<Value> =
      lost.kind === 'away' && good !== null && now - good.at < staleMs
        ? { kind: 'got', value: good.value }
        : lost;
    remember(url, { kept, at: now, good });
    return kept;
  };

  /** @param anew where what is kept did not help */
  return (url: string, anew = false): Promise<Kept<Value>> => {
    const entry = entries.get(url);
    const age = entry === undefined ? Number.POSITIVE_INFINITY : clock() - entry.at;
    const isHelpful = entry?.kept.kind === 'got' && entry.good?.at === entry.at && !anew;
    if (entry !== undefined && age < (isHelpful ? freshMs : coolDownMs)) return Promise.resolve(entry.kept);
    const known = running.get(url);
    if (known !== undefined) return known;
    const asked = ask(url).finally(() => running.delete(url));
    running.set(url, asked);
    return asked;
  };
};
