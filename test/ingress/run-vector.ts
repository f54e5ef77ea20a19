import type { Announcement } from '../../src/domain/announcement.ts';
import { bodyFormat } from '../../src/ingress/body-format.ts';
import { createSource } from '../../src/ingress/create-source.ts';
import { type Received, receiveDelivery } from '../../src/ingress/receive-delivery.ts';
import { createRemoteKeys } from '../../src/ingress/remote-keys/create-remote-keys.ts';
import { findProfile } from '../../src/ingress/vendors/find-profile.ts';
import type { Headers } from '../../src/ingress/verify/verdict.ts';

/** A delivery as its vendor signs it, and what becomes of it. Header names as the vendor writes them. */
export type Vector = {
  title: string;
  secrets: readonly string[];
  url: string;
  method?: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Unix seconds. */
  now: number;
  params?: Readonly<Record<string, string>>;
  /** Of the source, where the profile has none of its own. */
  refs?: Readonly<Record<string, string>>;
  /** What key servers would answer, by URL. */
  certificates?: Readonly<Record<string, string>>;
  /** The announcements, each in part; empty where the delivery is a handshake or an empty batch. */
  expect: readonly Partial<Announcement>[];
  /** For a handshake: the answer to the byte. */
  greets?: { status: number; body: string };
};

export type VectorRun = { received: Received; announcements: readonly Announcement[] };

export const lowerCase = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** Runs a delivery through the very code of the server, for a source that has just what the vector says. */
export const runVector = async (
  vendor: string,
  vector: Omit<Vector, 'headers' | 'body'> & { headers: Headers; body: string | Buffer },
): Promise<VectorRun> => {
  const query = vector.url.indexOf('?');
  const now = vector.now * 1000;
  const source = createSource(
    { id: 'vectors', type: 'vendor', vendor, pack: 'pack', refs: vector.refs },
    vector.secrets,
    {
      params: vector.params ?? {},
      url: query === -1 ? vector.url : vector.url.slice(0, query),
      keys: createRemoteKeys({
        fetch: async (url) =>
          new Response(vector.certificates?.[url] ?? '', {
            status: vector.certificates?.[url] === undefined ? 404 : 200,
          }),
        clock: () => now,
      }),
    },
  );
  const type = vector.headers['content-type'];
  const raw = typeof vector.body === 'string' ? Buffer.from(vector.body) : vector.body;
  const isForm = findProfile(vendor).takes.includes('form') && /^[A-Za-z_]+=/.test(raw.toString('latin1'));
  const announcements: Announcement[] = [];
  const received = await receiveDelivery(
    source,
    {
      method: vector.method ?? 'POST',
      query: query === -1 ? '' : vector.url.slice(query),
      headers: vector.headers,
      raw,
      format: type === undefined && isForm ? 'form' : (bodyFormat(type, source.takes) ?? 'json'),
      now,
    },
    async (batch) => {
      announcements.push(...batch);
    },
  );
  return { received, announcements };
};
