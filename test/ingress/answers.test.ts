import { METHODS } from 'node:http';
import { connect } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createNetworkCheck } from '../../src/ingress/create-network-check.ts';
import { findProfile } from '../../src/ingress/vendors/find-profile.ts';
import { signHmac } from '../../src/ingress/verify/sign-hmac.ts';
import { signProof } from '../../src/ingress/verify/sign-proof.ts';
import { standardWebhooks } from '../../src/ingress/verify/standard-webhooks.ts';
import { readAnswers } from './read-answers.ts';
import { type Spoken, speak } from './speak.ts';
import { type Ingress, startIngress, type TestSource, whsec } from './start-ingress.ts';

const limit = 64 * 1024;
const mail: TestSource = { settings: { id: 'mail-hook', type: 'webhook', pack: 'mail' }, secrets: [whsec] };
const closed: TestSource = { ...mail, settings: { id: 'closed', type: 'webhook', pack: 'mail' } };
const slow: TestSource = { ...mail, settings: { id: 'slow', type: 'webhook', pack: 'mail' } };
const github: TestSource = {
  settings: { id: 'github', type: 'vendor', vendor: 'github', pack: 'issues' },
  secrets: ['gh-secret'],
};
const meta: TestSource = {
  settings: { id: 'meta', type: 'vendor', vendor: 'meta', pack: 'pages' },
  secrets: ['app-secret'],
  context: { params: { verify_token: 'a-token' } },
};

const one = '{"ref":"new_item","id":"e1","account":"inbox@example.com","data":{"id":"m_1"}}';
type Bytes = string | Uint8Array;
type Headers = Readonly<Record<string, string>>;

const sign = (raw: Bytes, { id = 'msg_1', secret = whsec, at = Date.now() } = {}): Headers =>
  signHmac(standardWebhooks, secret, {
    ...{ method: 'POST', url: '', headers: { 'webhook-id': id } },
    raw: Buffer.from(raw),
    now: at,
  }).headers;
const signGithub = (raw: Bytes, event = 'issues'): Headers => ({
  ...signProof(findProfile('github').proof, 'gh-secret', {
    ...{ method: 'POST', url: '', headers: {}, raw: Buffer.from(raw), now: 0 },
  }).headers,
  'x-github-event': event,
  'x-github-delivery': 'd-1',
});

let ingress: Ingress;
/** With deadlines that a test can wait for. */
let hasty: Ingress;
let spent = 0;
beforeAll(async () => {
  const sources = [mail, closed, slow, github, meta];
  const gates = {
    closed: { admitsPeer: createNetworkCheck(['192.0.2.0/24']) },
    slow: {
      spend: () => {
        spent += 1;
        return spent > 1 ? 1_000 : 0;
      },
    },
  };
  ingress = await startIngress(sources, { bodyLimit: limit, gates });
  hasty = await startIngress(sources, { requestTimeoutMs: 500, bodyDeadlineMs: 100 });
});
afterAll(async () => {
  await ingress.close();
  await hasty.close();
});
afterEach(() => {
  ingress.enqueued.length = 0;
});

type Request = {
  method?: string;
  path?: string;
  version?: string;
  headers?: Headers | readonly string[];
  body?: Bytes;
  /** Instead of the body as it is, under its length. */
  wire?: readonly Bytes[];
};

const linesOf = (headers: Headers | readonly string[]): string[] =>
  Array.isArray(headers) ? [...headers] : Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

const requestOf = ({ method = 'POST', path = '/ingress/mail-hook', version = '1.1', ...rest }: Request) => {
  const { headers = {}, body = '', wire } = rest;
  const lines = [
    ...linesOf(headers),
    ...(version === '1.1' ? ['Host: hooks.example.com'] : []),
    ...(wire === undefined ? [`Content-Length: ${Buffer.byteLength(body)}`] : []),
  ];
  return [
    `${method} ${path} HTTP/${version}\r\n${lines.join('\r\n')}\r\n\r\n`,
    ...(wire ?? [Buffer.from(body)]),
  ];
};
/** One request on a connection of its own, and its answer. */
const ask = async (request: Request, end = false): Promise<Spoken> => {
  const [answer] = await speak(ingress.port, requestOf(request), { end });
  return answer ?? { status: 0, code: null, head: '', body: '' };
};
const each = <T>(items: readonly T[], run: (item: T) => Promise<Spoken>): Promise<Spoken[]> =>
  Promise.all(items.map(run));
/** The body signed well, under headers that may replace the signature's. */
const signed = (body: Bytes, more: Request = {}): Promise<Spoken> =>
  ask({ body, ...more, headers: [...linesOf(sign(body)), ...linesOf(more.headers ?? {})] });
const chunked = (wire: readonly Bytes[], body: Bytes = one): Promise<Spoken> =>
  signed(body, { headers: ['Transfer-Encoding: chunked'], wire });
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const typed = (type: string, body: Bytes = one): Promise<Spoken> =>
  signed(body, { headers: [`Content-Type: ${type}`] });
const form = (body: string) =>
  ask({
    path: '/ingress/github',
    body,
    headers: { ...signGithub(body), 'content-type': 'application/x-www-form-urlencoded' },
  });
const packed = (coding: string, body: Bytes, of: Bytes = one): Promise<Spoken> =>
  ask({ body, headers: { ...sign(of), 'content-encoding': coding } });
const announce = (fields: Record<string, unknown>): Promise<Spoken> =>
  signed(JSON.stringify({ ref: 'new_item', id: 'e1', ...fields }));

const withCode = ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'];
const others = METHODS.filter((method) => ![...withCode, 'HEAD', 'POST', 'CONNECT'].includes(method));

/** What each row of the table says is sent, under the row's own words. */
const rows: Readonly<Record<string, () => Promise<Spoken[]>>> = {
  'to a source that is not configured, by any method, signed or not': async () => {
    const answers = [
      ...(await each(['GET', 'PUT', 'OPTIONS', 'QUERY'], (method) => ask({ method, path: '/ingress/none' }))),
      await signed(one, { path: '/ingress/none' }),
      await ask({ path: '/ingress/__proto__', headers: ['Content-Encoding: br', 'Content-Type: x'] }),
      await ask({ path: '/ingress/constructor', headers: ['Content-Length: 999999999'], wire: [] }),
    ];
    const shapes = answers.map(({ head, body }) =>
      `${head}${body}`.replace(/"request_id":"[^"]*"/, '').replace(/^(date|content-length):.*$/gim, ''),
    );
    expect(new Set(shapes).size).toBe(1);
    return answers;
  },
  "a source's name percent-encoded, once": () =>
    each(['/ingress/mail%2Dhook', '/ingress/%6d%61il-hook'], (path) => signed(one, { path })),
  'one encoded twice, or with `;` and more behind it': () =>
    each(['/ingress/mail%252Dhook', '/ingress/mail-hook;v=1'], (path) => signed(one, { path })),
  'a trailing or doubled slash, dot segments, an escape that is none, over 1,024 characters': () =>
    each(
      [
        '/ingress/mail-hook/',
        '/ingress//mail-hook',
        '/ingress/../ingress/mail-hook',
        '/ingress/./mail-hook',
        '/ingress/mail%zzhook',
        '/ingress/%ff',
        `/ingress/${'a'.repeat(1_025)}`,
      ],
      (path) => signed(one, { path }),
    ),
  'a query, a fragment': () =>
    each(['/ingress/mail-hook?a=1&a=%ff', '/ingress/mail-hook#a'], (path) => signed(one, { path })),
  'an absolute-form URL, whatever host it names': () =>
    each(
      ['http://hooks.example.com/ingress/mail-hook', 'https://elsewhere.example/ingress/mail-hook'],
      (path) => signed(one, { path }),
    ),

  'GET, HEAD, PUT, PATCH, DELETE, OPTIONS, TRACE or QUERY that is no handshake': async () => {
    const head = await ask({ method: 'HEAD', headers: ['Connection: close'] });
    expect([head.status, head.body]).toEqual([405, '']);
    const answers = await each(withCode, (method) => ask({ method }));
    answers.push(await ask({ method: 'GET', body: one }));
    for (const answer of [head, ...answers]) expect(answer.head).toMatch(/^allow: POST$/im);
    return answers;
  },
  'another method that HTTP has': () =>
    each(
      others.flatMap((method) => ['mail-hook', 'none'].map((id) => ({ method, path: `/ingress/${id}` }))),
      ask,
    ),
  'a method that HTTP has not, or in lower case; `CONNECT`': () =>
    each(['NONSENSE', 'post', 'CONNECT', 'PRI'], (method) => ask({ method })),
  'a handshake, a ping': async () => [
    await ask({
      method: 'GET',
      path: '/ingress/meta?hub.mode=subscribe&hub.verify_token=a-token&hub.challenge=7',
    }),
    await ask({ path: '/ingress/github', body: '{}', headers: signGithub('{}', 'ping') }),
  ],
  'a handshake with a wrong token': () =>
    each(['other', '', 'a-token&hub.verify_token=b'], (token) =>
      ask({
        method: 'GET',
        path: `/ingress/meta?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=7`,
      }),
    ),
  'HTTP/1.0': () => each(['1.0'], (version) => signed(one, { version })),
  'two requests at once on one connection': async () => {
    const request = requestOf({ headers: sign(one), body: one }).join('');
    const answers = await speak(ingress.port, [request + request], { answers: 2 });
    expect(answers).toHaveLength(2);
    return answers;
  },
  'HTTP/1.1 without `Host`': () =>
    speak(ingress.port, [
      `POST /ingress/mail-hook HTTP/1.1\r\n${linesOf(sign(one)).join('\r\n')}\r\nContent-Length: ${one.length}\r\n\r\n${one}`,
    ]),
  'no HTTP: a TLS greeting, HTTP/2, bare line feeds, noise': () =>
    each(
      [
        '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
        'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        'POST /ingress/mail-hook HTTP/1.1\nHost: x\nContent-Length: 2\n\n{}',
        '\0\xff\xfe\r\n\r\n',
        'nonsense\r\n\r\n',
      ],
      async (text) => (await speak(ingress.port, [text]))[0] ?? (await ask({})),
    ),
  '`Expect`, whatever is expected; `Upgrade`': () =>
    each(
      [['Expect: 100-continue'], ['Expect: the-unexpected'], ['Connection: upgrade', 'Upgrade: websocket']],
      (headers) => signed(one, { headers }),
    ),

  'a head of more than 16 KiB, the URL included': async () => [
    await signed(one, { headers: [`X-Pad: ${'a'.repeat(17_000)}`] }),
    await signed(one, { path: `/ingress/mail-hook?${'a'.repeat(17_000)}` }),
  ],
  'a header with NUL, folded, or with a blank before its colon': () =>
    each(['X-A: a\0b', 'X-A: a\r\n b', 'X-A : a'], (line) => signed(one, { headers: [line] })),
  'the signature behind more than 2,000 headers, which are not read': async () => [
    await ask({
      headers: [
        'Host: x',
        `Content-Length: ${one.length}`,
        ...Array<string>(2_000).fill('A:b'),
        ...linesOf(sign(one)),
      ],
      wire: [one],
      version: '1.0',
    }),
  ],
  'bytes beyond ASCII in a header that nobody asks for': () =>
    each(['X-A: \xff\xfe', 'User-Agent: \xc3\xa9'], (line) => signed(one, { headers: [line] })),
  '`Content-Type` twice': () =>
    each(
      [
        ['Content-Type: application/json', 'Content-Type: text/plain'],
        ['Content-Type: text/plain', 'Content-Type: application/json'],
      ],
      (headers) => signed(one, { headers }),
    ),

  'a `Content-Length` that is no number, negative, doubled, too large to be one, or beside `Transfer-Encoding`':
    () =>
      each(
        [
          ['Content-Length: two'],
          ['Content-Length: -2'],
          ['Content-Length: +2'],
          ['Content-Length: 2, 2'],
          ['Content-Length: 2', 'Content-Length: 2'],
          ['Content-Length: 99999999999999999999999'],
          ['Content-Length: 2', 'Transfer-Encoding: chunked'],
        ],
        (headers) => signed(one, { headers, wire: [one] }),
      ),
  'a `Content-Length` shorter than what was signed': async () => [
    await signed(one, { headers: ['Content-Length: 10'], wire: [one.slice(0, 10)] }),
    await signed(one, { headers: ['Content-Length: 10'], wire: [one] }),
  ],
  'chunks, cut in any way, with extensions or trailers': () =>
    each(
      [
        [...one].map(chunk).concat('0\r\n\r\n'),
        [chunk(one).replace('\r\n', ';name=value\r\n'), '0\r\nX-Trailer: a\r\n\r\n'],
        Array.from(`${chunk(one)}0\r\n\r\n`),
      ],
      (wire) => chunked(wire),
    ),
  'chunks that are none, or not of their size': () =>
    each(
      [
        'zz\r\n{}\r\n',
        '-2\r\n{}\r\n',
        'ffffffffffffffffff\r\n',
        '1\r\n{}\r\n',
        `2;${'a'.repeat(20_000)}\r\n`,
      ],
      (text) => chunked([text, '0\r\n\r\n']),
    ),
  'a transfer coding besides `chunked`': async () => [
    ...(await each(['gzip', 'chunked, gzip', 'nonsense'], (coding) =>
      signed(one, { headers: [`Transfer-Encoding: ${coding}`], wire: [one] }),
    )),
    await signed(one, {
      headers: ['Transfer-Encoding: gzip, chunked'],
      wire: [`${gzipSync(one).length.toString(16)}\r\n`, gzipSync(one), '\r\n0\r\n\r\n'],
    }),
  ],
  'half a head, or one that drips': async () =>
    (
      await Promise.all([
        speak(hasty.port, ['POST /ingress/mail-hook HTTP/1.1\r\nHos']),
        speak(hasty.port, ['P', 'O', 'S', 'T', ' ']),
      ])
    ).flat(),
  'half a body, or one that drips': async () => {
    const head = (length: string) => `POST /ingress/mail-hook HTTP/1.1\r\nHost: x\r\n${length}\r\n\r\n`;
    return (
      await Promise.all([
        speak(hasty.port, [head('Content-Length: 100'), '{"ref"']),
        speak(hasty.port, [head('Transfer-Encoding: chunked'), '1\r\n{\r\n', '1\r\n']),
      ])
    ).flat();
  },
  'half a request and a hang-up': async () => {
    for (const text of [
      'POST /ingress/mail-hook HTT',
      requestOf({ headers: sign(one), body: one })
        .join('')
        .slice(0, -5),
    ]) {
      const socket = connect(ingress.port, '127.0.0.1');
      await new Promise((done) => socket.once('connect', done));
      await new Promise((done) => socket.write(text, done));
      socket.destroy();
    }
    const still = await signed(one);
    expect([still.status, ingress.enqueued.length]).toEqual([202, 1]);
    ingress.enqueued.length = 0;
    expect(ingress.lines.filter((line) => line.includes('request.failed'))).toEqual([]);
    return [];
  },
  'a body of exactly `body_limit`': async () => [await signed(one + ' '.repeat(limit - one.length))],
  'a larger one, announced or not': async () => {
    const big = one + ' '.repeat(limit + 1 - one.length);
    return [
      await signed(big),
      await signed(one, { headers: ['Content-Length: 99999999999'], wire: [one] }),
      await chunked([`${big.length.toString(16)}\r\n`, big], big),
    ];
  },

  "gzip, x-gzip, deflate (with or without zlib's head), in any case": async () => [
    await packed('gzip', gzipSync(one)),
    await packed('X-GZip', gzipSync(one)),
    await packed('deflate', deflateSync(one)),
    await packed('DEFLATE', deflateRawSync(one)),
  ],
  'one of them, signed after packing': async () => [
    await packed('gzip', gzipSync(one), gzipSync(one)),
    await packed('deflate', deflateSync(one), deflateSync(one)),
  ],
  'one that unpacks to more than `body_limit`': async () => {
    const bomb = Buffer.alloc(32 * 1024 * 1024);
    return [await packed('gzip', gzipSync(bomb)), await packed('deflate', deflateRawSync(bomb))];
  },
  'what is not packed as it says, or cut short': async () => [
    await packed('gzip', one),
    await packed('deflate', one),
    await packed('gzip', deflateSync(one)),
    await packed('gzip', gzipSync(one).subarray(0, -9)),
    await packed('deflate', deflateSync(one).subarray(0, 20)),
  ],
  'br, zstd, compress, anything else; one on top of another; the header twice': async () => [
    await packed('br', brotliCompressSync(one)),
    ...(await each(
      ['zstd', 'compress', 'nonsense', 'gzip, gzip', 'gzip,identity', '__proto__', 'gzip;q=1'],
      (coding) => packed(coding, gzipSync(one)),
    )),
    await signed(one, { headers: ['Content-Encoding: gzip', 'Content-Encoding: gzip'] }),
  ],

  '`application/json`, `application/*+json`, any case, any parameters; no type': async () => [
    await signed(one),
    ...(await each(
      [
        'application/json',
        'APPLICATION/JSON;charset=latin1',
        'application/vnd.a.b-c+json; a="b;c"',
        'application/cloudevents+json',
      ],
      (type) => typed(type),
    )),
  ],
  'a form to a source that takes forms': () =>
    each(
      [
        `payload=${encodeURIComponent('{"action":"opened"}')}`,
        'action=opened&n=%F0%9F%9A%80',
        '{"action":"opened"}',
      ],
      form,
    ),
  'a form that is not well-formed, or doubles its `payload`': () =>
    each(['payload=%', 'payload=%FF', 'payload=%7B', 'payload={}&payload={}', ''], form),
  'any other type, a form to a source that takes none': () =>
    each(
      [
        'text/plain',
        'application/xml',
        'multipart/form-data; boundary=x',
        'nonsense',
        '/',
        ';',
        'application/x-www-form-urlencoded',
      ],
      (type) => typed(type),
    ),

  nothing: async () => [
    await signed(''),
    await typed('application/json', ''),
    await chunked(['0\r\n\r\n'], ''),
    await packed('gzip', '', ''),
  ],
  'a byte order mark and JSON': async () => [await signed(`\ufeff${one}`)],
  'bytes that are not UTF-8; UTF-16': () =>
    each(
      [
        Buffer.from('7b22726566223a22ff227d', 'hex'),
        Buffer.from('eda080', 'hex'),
        Buffer.from(`\ufeff${one}`, 'utf16le'),
      ],
      (body) => signed(body),
    ),
  'no JSON: cut short, commented, two texts, single quotes, `NaN`, a raw NUL': () =>
    each(
      [
        '{"ref":',
        `${one}//`,
        `${one}${one}`,
        "{'ref':'a'}",
        '{"data":NaN}',
        '{"id":"\0"}',
        '\0',
        '[1,]',
        ' ',
      ],
      (body) => signed(body),
    ),
  'more than 100 levels': () =>
    each(
      ['['.repeat(101), `${'['.repeat(60_000)}`, `{"data":${'{"a":'.repeat(100)}1${'}'.repeat(101)}`],
      (body) => signed(body),
    ),
  'JSON that is no announcement: null, a number, a text, a list of them': () =>
    each(['null', '1', '"text"', 'true', '[null]', '[[]]', `[${one},1]`], (body) => signed(body)),
  'an empty list': async () => {
    const answer = await signed('[]');
    expect([answer.body, ingress.enqueued]).toEqual(['{"accepted":0}', []]);
    return [answer];
  },
  'a field missing, unknown, of another type; `__proto__`, `constructor`': async () => [
    await signed('{}'),
    ...(await each(
      [
        { id: '' },
        { id: 7 },
        { id: null },
        { ref: ['new_item'] },
        { more: 1 },
        { pack: 'other' },
        { state: 5 },
        { ref: 'binding.degraded' },
      ],
      announce,
    )),
    await signed('{"ref":"new_item","id":"e1","__proto__":{"account":"other@example.com"}}'),
    await signed('{"ref":"new_item","id":"e1","constructor":{"prototype":{}}}'),
  ],
  'an account that is empty, too long, or holds control characters': () =>
    each(['', 'a'.repeat(513), 'a\0', 'a\nb', '\ud800'], (account) => announce({ account })),
  'an id of any text: NUL, lone surrogates, escape sequences, SQL, paths, 10,000 characters': async () => {
    const ids = [
      '\0',
      '\ud800',
      '\u001b[2J',
      "'; drop table sense.records; --",
      '../../etc/passwd',
      'a'.repeat(10_000),
      '\u202e',
    ];
    const answers = await each(ids, (id) => announce({ id }));
    expect(new Set(ingress.enqueued.map(({ eventHash }) => eventHash)).size).toBe(ids.length);
    for (const { event } of ingress.enqueued) expect(event).toMatch(/^[^\0-\x1f\ud800-\udfff]{1,512}$/u);
    return answers;
  },
  '`data` of any JSON: NUL, lone surrogates, `__proto__`, doubled keys, numbers beyond doubles': async () => {
    const all = [
      '"\\u0000"',
      '"\\ud800"',
      '{"__proto__":{"polluted":true}}',
      '{"a":1,"a":2}',
      '[1e400,12345678901234567890,-0.0]',
      '"\\/"',
    ];
    const answers: Spoken[] = [];
    for (const data of all) answers.push(await signed(`{"ref":"new_item","id":"e1","data": ${data} }`));
    expect(ingress.enqueued.map(({ data }) => data)).toEqual(all);
    expect(Reflect.get({}, 'polluted')).toBeUndefined();
    return answers;
  },

  'no signature, an empty one, a signature or time sent twice': async () => [
    await ask({ body: one }),
    await ask({ body: one, headers: { ...sign(one), 'webhook-signature': '' } }),
    ...(await each(['webhook-signature', 'webhook-timestamp'], (name) =>
      signed(one, { headers: [`${name}: ${sign(one)[name]}`] }),
    )),
  ],
  'a signing time that is no time': () =>
    each(['soon', '-1', '1e9', '1750000000.5', '9'.repeat(20), '0x10'], (at) =>
      ask({ body: one, headers: { ...sign(one), 'webhook-timestamp': at } }),
    ),
  'one more than 300 s away, either way': () =>
    each([-301_000, 302_000, -1e12], (away) =>
      ask({ body: one, headers: sign(one, { at: Date.now() + away }) }),
    ),
  'another secret, a changed byte, an id sent twice, another encoding, noise of any length': async () => {
    const good = sign(one)['webhook-signature'] ?? '';
    const hex = Buffer.from(good.slice(3), 'base64').toString('hex');
    return [
      await ask({
        body: one,
        headers: sign(one, { secret: `whsec_${Buffer.alloc(24).toString('base64')}` }),
      }),
      await ask({ body: one.replace('m_1', 'm_2'), headers: sign(one) }),
      await ask({ body: one, headers: { ...sign(one), 'webhook-id': 'other' } }),
      await signed(one, { headers: ['webhook-id: msg_1'] }),
      ...(await each(
        [`v1,${hex}`, 'v1,', 'v1,\xff', `v1,${'A'.repeat(9_000)}`, `${good}A`, good.slice(0, -1)],
        (signature) => ask({ body: one, headers: { ...sign(one), 'webhook-signature': signature } }),
      )),
    ];
  },
  'a signature among others': async () => {
    const good = sign(one)['webhook-signature'] ?? '';
    return each(
      [`v1,AAAA ${good}`, `${good} v1,AAAA`, `v2,${'A'.repeat(500)} v1a,AAAA ${good}`],
      (signature) => ask({ body: one, headers: { ...sign(one), 'webhook-signature': signature } }),
    );
  },
  'from a network that the source is not called from': async () => [
    await signed(one, { path: '/ingress/closed' }),
    await signed(one, { path: '/ingress/closed', headers: ['X-Forwarded-For: 192.0.2.1'] }),
  ],
  'faster than `rate_limit`': async () => {
    await signed(one, { path: '/ingress/slow' });
    return [await signed(one, { path: '/ingress/slow' })];
  },
};

describe('what a caller may send, and what it gets (docs/ingress.md)', () => {
  const table = readAnswers();

  test('every row of the table has a test, and every test a row', () => {
    expect(Object.keys(rows)).toEqual(table.map(({ name }) => name));
  });

  test.each(table)('$name', async ({ name, answers }) => {
    const spoken = (await rows[name]?.()) ?? [];
    // `202` says nothing of a code; where a code is named, the answer's must be that one.
    const got = spoken.map(({ status, code }) => (code === null ? `${status}` : `${status} ${code}`));
    const expected = answers.map((answer) => (got.includes(answer) ? answer : `never ${answer}`));
    expect([...new Set(got)].sort()).toEqual([...new Set(expected)].sort());
  });

  test.each(table.filter(({ answers }) => !answers.some((answer) => answer.startsWith('2'))))(
    'nothing is kept of: $name',
    async ({ name }) => {
      await rows[name]?.();
      expect(ingress.enqueued).toEqual([]);
      expect(hasty.enqueued).toEqual([]);
    },
  );

  test('nothing of it was a fault of ours', () => {
    expect([...ingress.lines, ...hasty.lines].filter((line) => line.includes('request.failed'))).toEqual([]);
    expect([...ingress.facts, ...hasty.facts].filter(({ status }) => status >= 500)).toEqual([]);
  });
});
