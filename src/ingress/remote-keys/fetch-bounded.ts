/** What of `fetch` we use; tests hand in one that leads to a server of their own. */
export type Fetch = (
  url: string,
  options: { redirect: 'error'; signal: AbortSignal; headers: Readonly<Record<string, string>> },
) => Promise<Response>;

/** `refused`: the server says no; asking again at once would not help. `away`: it did not answer, or with a fault of its own. */
export type Fetched = { kind: 'got'; text: string } | { kind: 'refused' | 'away'; why: string };

const deadlineMs = 5_000;
const maxBytes = 256 * 1024;

const readAtMost = async (response: Response, limit: number): Promise<string | null> => {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.length;
    if (size > limit) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** Gets a small text: https only, no redirect, five seconds and 256 KiB at most. Never throws. */
export const fetchBounded = async (fetch: Fetch, url: string): Promise<Fetched> => {
  if (!URL.canParse(url) || new URL(url).protocol !== 'https:')
    return { kind: 'refused', why: 'it is no https URL' };
  try {
    const response = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(deadlineMs),
      headers: { accept: '*/*' },
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      const later = response.status >= 500 || response.status === 429 || response.status === 408;
      return { kind: later ? 'away' : 'refused', why: `it answers ${response.status}` };
    }
    const text = await readAtMost(response, maxBytes);
    return text === null ? { kind: 'refused', why: 'its answer is too long' } : { kind: 'got', text };
  } catch (error) {
    return { kind: 'away', why: error instanceof Error ? error.message : 'it does not answer' };
  }
};
