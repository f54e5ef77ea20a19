import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSource, type SourceContext } from '../../src/ingress/create-source.ts';
import { createRemoteKeys } from '../../src/ingress/remote-keys/create-remote-keys.ts';
import { findProfile } from '../../src/ingress/vendors/find-profile.ts';
import { signHmac } from '../../src/ingress/verify/sign-hmac.ts';
import { standardWebhooks } from '../../src/ingress/verify/standard-webhooks.ts';
import { readAnswers } from './read-answers.ts';
import type { Vector } from './run-vector.ts';
import { speak } from './speak.ts';
import { type Ingress, startIngress, type TestSource, whsec } from './start-ingress.ts';

/** `FUZZ_SEED=… npx vitest run test/ingress/fuzz.test.ts` sends the same again. */
const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 2 ** 31);
const now = 1_750_000_000_000;

/** Another secret of the same form: every character by its neighbour among its own kind. */
const turn = (text: string): string =>
  text.replace(/[0-9a-fg-z]/g, (char) => {
    const kind = ['0123456789', 'abcdef', 'ghijklmnopqrstuvwxyz'].find((one) => one.includes(char)) ?? char;
    return kind[(kind.indexOf(char) + 1) % kind.length] ?? char;
  });

type Seed = { vendor: string; vector: Vector };
const folder = resolve(import.meta.dirname, 'vectors');
const seeds: Seed[] = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .flatMap((name) => {
    const vectors: Vector[] = JSON.parse(readFileSync(resolve(folder, name), 'utf8'));
    return vectors.map((vector) => ({ vendor: name.replace('.json', ''), vector }));
  });

// Key servers answer, and have no key of anybody's.
const keys = createRemoteKeys({
  fetch: async () => new Response('{"keys":[]}', { headers: { 'content-type': 'application/json' } }),
  clock: () => now,
});

/** A source as its vector has it, with every secret another: whatever the vector's signature covers is no proof here. */
const closedSource = (vendor: string, vector: Vector): TestSource | null => {
  const settings = { id: vendor, type: 'vendor', vendor, pack: 'fuzz', binding: 'bnd_1' } as const;
  const url = vector.url.split('?')[0] ?? null;
  const secrets = vector.secrets.map(turn);
  const turned = Object.fromEntries(
    Object.entries(vector.params ?? {}).map(([name, value]) => [name, turn(value)]),
  );
  const contexts: SourceContext[] = [
    { params: turned, url, keys },
    { params: vector.params ?? {}, url, keys },
  ];
  for (const context of contexts) {
    try {
      createSource(settings, secrets, context);
      return { settings, secrets, context };
    } catch {
      // Not of the form that this vendor asks for.
    }
  }
  return null;
};
const vendors = new Map<string, TestSource>();
for (const { vendor, vector } of seeds) {
  const source = vendors.has(vendor) ? null : closedSource(vendor, vector);
  if (source !== null) vendors.set(vendor, source);
}
const usable = seeds.filter(({ vendor }) => vendors.has(vendor));

const table = new Set(readAnswers().flatMap(({ answers }) => answers));
/** What the vendor of a source wants to hear besides what the table says. */
const ownAnswers = (vendor: string): ReadonlySet<string> => {
  const { handshakes, refusals = {}, answer } = findProfile(vendor);
  const statuses = [
    ...handshakes.map((one) => one.answer.status),
    ...Object.values(refusals),
    answer?.status ?? 202,
  ];
  // Which certificate is asked for stands in the message; a key server that has none is away, as far as we can tell.
  return new Set([...statuses.map(String), '503 KEYS_UNAVAILABLE']);
};
const own = new Map([...vendors.keys()].map((vendor) => [vendor, ownAnswers(vendor)]));

const mail: TestSource = { settings: { id: 'mail-hook', type: 'webhook', pack: 'mail' }, secrets: [whsec] };
let ingress: Ingress;
beforeAll(async () => {
  ingress = await startIngress([mail, ...vendors.values()], {
    bodyLimit: 16 * 1024,
    requestTimeoutMs: 2_000,
    bodyDeadlineMs: 1_000,
    now,
  });
});
afterAll(() => ingress.close());

const headerNames = [
  'content-type',
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'connection',
  'expect',
  'upgrade',
  'host',
  'authorization',
  'x-forwarded-for',
  'x-hub-signature-256',
  'webhook-signature',
  'webhook-id',
  'x-github-event',
  '__proto__',
  'x-a',
];
const headerValues = [
  'application/json',
  'application/x-www-form-urlencoded',
  'application/json; charset="',
  'text/plain',
  'gzip',
  'deflate',
  'br',
  'gzip, gzip',
  'chunked',
  'gzip, chunked',
  'close',
  'keep-alive',
  'upgrade',
  '100-continue',
  'Bearer a.b.c',
  'Bearer eyJhbGciOiJub25lIn0.e30.',
  '127.0.0.1',
  '0',
  '5',
  '-1',
  '99999999999999999999',
  '',
  'v1,AAAA',
  'sha256=00',
  'a'.repeat(9_000),
];

const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array));
const latin1 = bytes.map((raw) => raw.toString('latin1'));
/** Mostly the first, so that most of a request is whole and what is broken is reached. */
const mostly = <T>(usual: fc.Arbitrary<T>, ...odd: fc.Arbitrary<T>[]) =>
  fc.oneof(
    { arbitrary: usual, weight: 6 * odd.length },
    ...odd.map((arbitrary) => ({ arbitrary, weight: 1 })),
  );

const plan = fc.record({
  seed: fc.integer({ min: 0, max: 1_000_000 }),
  method: mostly(
    fc.constant<string | null>(null),
    fc.constantFrom('GET', 'HEAD', 'PUT', 'OPTIONS', 'PROPFIND', 'CONNECT', 'post'),
    fc.stringMatching(/^[!-~]{1,12}$/),
  ),
  path: mostly(
    fc.constant<string | null>(null),
    fc.constantFrom(
      '/ingress/none',
      '/ingress/mail-hook',
      '/ingress/%6dail-hook',
      '/ingress/',
      '*',
      'http://x/ingress/github',
    ),
    latin1.map((text) => `/ingress/${text}`),
  ),
  query: mostly(
    fc.constant(''),
    fc.constantFrom('?hub.mode=subscribe&hub.challenge=1', '?validationToken=x', '?a&=&%'),
    latin1,
  ),
  version: mostly(fc.constant('1.1'), fc.constantFrom('1.0', '1.2', '2.0', '0.9', 'x')),
  keep: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
  keepAll: fc.boolean(),
  extra: mostly(
    fc.constant<[string, string][]>([]),
    fc.array(fc.tuple(fc.constantFrom(...headerNames), fc.constantFrom(...headerValues)), { maxLength: 3 }),
    fc.array(fc.tuple(fc.constantFrom(...headerNames), latin1), { maxLength: 2 }),
  ),
  body: mostly(
    fc.constant<Buffer | null>(null),
    bytes,
    fc.json({ maxDepth: 5 }).map((text) => Buffer.from(text)),
    fc
      .constantFrom('[[[[', '['.repeat(5_000), '{"__proto__":1}', '', 'payload=%', '\ud800')
      .map((text) => Buffer.from(text)),
    bytes.map((raw) => gzipSync(raw)),
    bytes.map((raw) => deflateSync(raw)),
    fc.constant(Buffer.alloc(17_000, 0x20)),
    fc.constant(gzipSync(Buffer.alloc(1024 * 1024))),
  ),
  change: fc.option(fc.tuple(fc.nat(), fc.nat(255)), { freq: 3 }),
  framing: mostly(fc.constant('length'), fc.constantFrom('chunked', 'short', 'long', 'none', 'both')),
  cuts: fc.array(fc.nat(), { maxLength: 5 }),
  damage: mostly(
    fc.constant<[number, number, number][]>([]),
    fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.nat(2)), { minLength: 1, maxLength: 3 }),
  ),
  /** Signed well, to the one source whose secret is known here. */
  signed: fc.boolean(),
});
type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

let counted = 0;
const signedWell = new Set<string>();

const cut = (whole: Buffer, at: readonly number[]): Buffer[] => {
  const edges = [
    0,
    ...new Set(at.map((where) => where % (whole.length + 1)).sort((a, b) => a - b)),
    whole.length,
  ];
  return edges.slice(1).map((to, index) => whole.subarray(edges[index], to));
};

const framed = (how: string, body: Buffer): { lines: string[]; wire: Buffer } => {
  const length = (count: number) => `Content-Length: ${count}`;
  const chunked = Buffer.concat([
    Buffer.from(`${body.length.toString(16)}\r\n`),
    body,
    Buffer.from('\r\n0\r\n\r\n'),
  ]);
  if (how === 'chunked')
    return {
      lines: ['Transfer-Encoding: chunked'],
      wire: body.length === 0 ? Buffer.from('0\r\n\r\n') : chunked,
    };
  if (how === 'both') return { lines: ['Transfer-Encoding: chunked', length(body.length)], wire: chunked };
  if (how === 'short') return { lines: [length(Math.floor(body.length / 2))], wire: body };
  if (how === 'long') return { lines: [length(body.length + 7)], wire: body };
  return { lines: how === 'none' ? [] : [length(body.length)], wire: body };
};

const harm = (head: Buffer, wounds: Plan['damage']): Buffer => {
  let hurt = head;
  for (const [where, byte, how] of wounds) {
    const at = where % (hurt.length + 1);
    const inserted = how === 0 ? Buffer.alloc(0) : Buffer.from([byte]);
    hurt = Buffer.concat([hurt.subarray(0, at), inserted, hurt.subarray(how === 1 ? at : at + 1)]);
  }
  return hurt;
};

/** The bytes of a request, and the source that it is most likely for. */
const write = (given: Plan): { vendor: string; wire: Buffer[] } => {
  const { vendor, vector } = usable[given.seed % usable.length] ?? { vendor: '', vector: null };
  counted += 1;
  const announcement = Buffer.from(`{"ref":"new_item","id":"e${counted}","data":{"n":[1]}}`);
  const body = Buffer.from(
    given.body ?? (given.signed || vector === null ? announcement : Buffer.from(vector.body)),
  );
  const id = `fuzz-${counted}`;
  const headers = given.signed
    ? signHmac(standardWebhooks, whsec, {
        method: 'POST',
        url: '',
        headers: { 'webhook-id': id },
        raw: body,
        now,
      }).headers
    : (vector?.headers ?? {});
  if (given.signed) signedWell.add(id);
  else if (given.change !== null && body.length > 0) body[given.change[0] % body.length] = given.change[1];
  const kept = Object.entries(headers).filter(
    (_, index) => given.keepAll || given.keep[index % given.keep.length],
  );
  const query = vector?.url.includes('?') ? vector.url.slice(vector.url.indexOf('?')) : '';
  const path = given.path ?? (given.signed ? '/ingress/mail-hook' : `/ingress/${vendor}${query}`);
  const { lines, wire } = framed(given.framing, body);
  const all = [...kept, ...given.extra].map(([name, value]) => `${name}: ${value}`);
  const text = [
    `${given.method ?? vector?.method ?? 'POST'} ${path}${given.query} HTTP/${given.version}`,
    'Host: hooks.example.com',
    ...all,
    ...lines,
  ].join('\r\n');
  const head = Buffer.from(`${text}\r\n\r\n`, 'latin1');
  return {
    vendor,
    wire: cut(Buffer.concat([harm(head, given.damage), wire]), given.cuts),
  };
};

describe(`whatever is sent (seed ${seed})`, () => {
  test('most vendors are among those that it is sent to', () => {
    expect(vendors.size).toBeGreaterThan(30);
  });

  test('is answered as the table says, enqueues nothing that was not proven, and leaves the process alive', async () => {
    const seen = new Map<string, number>();
    let silent = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(plan, { minLength: 1, maxLength: 12 }), async (plans) => {
        await Promise.all(
          plans.map(async (given) => {
            const { vendor, wire } = write(given);
            const [answer] = await speak(ingress.port, wire, { end: true });
            if (answer === undefined) {
              silent += 1;
              return;
            }
            const said = answer.code === null ? `${answer.status}` : `${answer.status} ${answer.code}`;
            seen.set(said, (seen.get(said) ?? 0) + 1);
            // The answer to a HEAD has no body that could name a code.
            const isHead = Buffer.concat(wire).subarray(0, 5).toString('latin1') === 'HEAD ';
            const bare = isHead && [...table].some((one) => one.startsWith(`${answer.status}`));
            if (!bare && !table.has(said) && own.get(vendor)?.has(said) !== true)
              throw new Error(
                `${said} is not in the table: ${Buffer.concat(wire).toString('latin1').slice(0, 2_000)}`,
              );
          }),
        );
        const unproven = ingress.enqueued.filter(
          ({ source, delivery }) => source !== 'mail-hook' || !signedWell.has(delivery),
        );
        expect(unproven).toEqual([]);
        ingress.enqueued.length = 0;
      }),
      { seed, numRuns: 100_000, interruptAfterTimeLimit: 12_000, markInterruptAsFailure: false },
    );
    // What came through was sent to say something: each kind of answer was met, and next to nothing met none.
    expect([...seen.keys()]).toEqual(
      expect.arrayContaining(['202', '401 SIGNATURE_MISMATCH', '400 BODY_MALFORMED']),
    );
    const answered = [...seen.values()].reduce((sum, count) => sum + count, 0);
    expect(silent).toBeLessThan(answered / 10);
    expect(ingress.lines.filter((line) => line.includes('request.failed'))).toEqual([]);
    expect(ingress.facts.filter(({ status, code }) => status >= 500 && code !== 'KEYS_UNAVAILABLE')).toEqual(
      [],
    );
    const { headers } = signHmac(standardWebhooks, whsec, {
      ...{ method: 'POST', url: '', headers: { 'webhook-id': 'last' }, raw: Buffer.from('[]'), now },
    });
    expect((await ingress.post('mail-hook', headers, '[]')).status).toBe(202);
  }, 60_000);
});
