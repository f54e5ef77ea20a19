import { connect } from 'node:net';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CodedError } from '../../src/domain/errors.ts';
import { findProfile } from '../../src/ingress/vendors/find-profile.ts';
import { signHmac } from '../../src/ingress/verify/sign-hmac.ts';
import { signProof } from '../../src/ingress/verify/sign-proof.ts';
import { standardWebhooks } from '../../src/ingress/verify/standard-webhooks.ts';
import {
  codeOf,
  type Ingress,
  sendRaw,
  speakRaw,
  startIngress,
  type TestSource,
  whsec,
} from './start-ingress.ts';

const mail: TestSource = { settings: { id: 'mail-hook', type: 'webhook', pack: 'mail' }, secrets: [whsec] };
const githubSource: TestSource = {
  settings: { id: 'github', type: 'vendor', vendor: 'github', pack: 'issues' },
  secrets: ['gh-secret'],
};
const stripeSource: TestSource = {
  settings: { id: 'stripe', type: 'vendor', vendor: 'stripe', pack: 'pay' },
  secrets: ['whsec_stripe'],
};

const one = '{"ref":"new_item","id":"e1","account":"inbox@example.com","data":{"id":"m_1"}}';
const sign = (raw: string | Uint8Array, id = 'msg_1') =>
  signHmac(standardWebhooks, whsec, {
    ...{ method: 'POST', url: '', headers: { 'webhook-id': id } },
    raw: Buffer.from(raw),
    now: Date.now(),
  }).headers;
const signGithub = (raw: string | Uint8Array) => ({
  ...signProof(findProfile('github').proof, 'gh-secret', {
    ...{ method: 'POST', url: '', headers: {}, raw: Buffer.from(raw), now: 0 },
  }).headers,
  'x-github-event': 'issues',
  'x-github-delivery': 'd-1',
});
const signStripe = (raw: string | Uint8Array) =>
  signProof(findProfile('stripe').proof, 'whsec_stripe', {
    ...{ method: 'POST', url: '', headers: {}, raw: Buffer.from(raw), now: Date.now() },
  }).headers;

let ingress: Ingress;
beforeAll(async () => {
  ingress = await startIngress([mail, githubSource, stripeSource], { bodyLimit: 64 * 1024 });
});
afterAll(() => ingress.close());

describe('what is answered before the body', () => {
  test.each(['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])(
    'an unknown source is the same 404 for %s, and names nothing back',
    async (method) => {
      const answer = await fetch(`${ingress.url}/ingress/no-such-source`, { method });
      const body = await answer.text();
      expect(answer.status).toBe(404);
      expect(body).toContain('SOURCE_UNKNOWN');
      expect(body).not.toContain('no-such-source');
      expect(ingress.facts.at(-1)).toMatchObject({ source: null, status: 404, code: 'SOURCE_UNKNOWN' });
    },
  );

  test.each(['constructor', '__proto__', 'toString', '%00', '..%2fingress', '%ff', 'a'.repeat(300)])(
    'a source called %s is a 404',
    async (id) => {
      expect((await sendRaw(ingress.port, `/ingress/${id}`, { body: Buffer.from('{}') })).status).toBe(404);
    },
  );

  test.each(['GET', 'HEAD', 'OPTIONS', 'PUT', 'PATCH', 'DELETE'])(
    '%s is a 405 that allows POST',
    async (method) => {
      const answer = await fetch(`${ingress.url}/ingress/mail-hook`, { method });
      expect(answer.status).toBe(405);
      expect(answer.headers.get('allow')).toBe('POST');
    },
  );

  test('another route is a 404 in the same shape', async () => {
    expect(await codeOf(await fetch(`${ingress.url}/ingress`))).toBe('ROUTE_UNKNOWN');
    expect(await codeOf(await fetch(`${ingress.url}/`, { method: 'POST', body: 'x' }))).toBe('ROUTE_UNKNOWN');
  });

  test('a stopping process says 503 and when to come again', async () => {
    const stopping = await startIngress([mail], { isStopping: () => true });
    const answer = await stopping.post('mail-hook', sign(one), one);
    expect([answer.status, await codeOf(answer)]).toEqual([503, 'SHUTTING_DOWN']);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(stopping.enqueued).toEqual([]);
    await stopping.close();
  });

  test('bodies packed in a way that we do not unpack are a 415', async () => {
    const answer = await ingress.post('mail-hook', { ...sign(one), 'content-encoding': 'br' }, one);
    expect([answer.status, await codeOf(answer)]).toEqual([415, 'CONTENT_ENCODING_UNSUPPORTED']);
    expect(answer.headers.get('accept-encoding')).toBe('gzip, deflate, identity');
  });
});

describe('content types: decided once, never 500, never "bad signature" for another cause', () => {
  const form = `payload=${encodeURIComponent('{"action":"opened"}')}`;
  const signers = { 'mail-hook': sign, github: signGithub, stripe: signStripe };
  const event = '{"id":"evt_1","type":"invoice.paid"}';
  const table: [keyof typeof signers, string | null, string, number][] = [
    ['mail-hook', 'application/json', one, 202],
    ['mail-hook', 'application/json; charset=utf-8', one, 202],
    ['mail-hook', 'application/json;charset=UTF-8', one, 202],
    ['mail-hook', 'APPLICATION/JSON', one, 202],
    ['mail-hook', 'application/vnd.vendor.v1+json; charset=utf-8', one, 202],
    ['mail-hook', 'application/cloudevents+json', one, 202],
    ['mail-hook', null, one, 202],
    ['mail-hook', 'application/json', `\ufeff${one}`, 202],
    ['mail-hook', 'application/x-www-form-urlencoded', form, 415],
    ['mail-hook', 'text/plain', one, 415],
    ['mail-hook', 'application/xml', '<a/>', 415],
    ['mail-hook', 'multipart/form-data; boundary=x', one, 415],
    ['mail-hook', 'nonsense', one, 415],
    ['mail-hook', '/', one, 415],
    ['mail-hook', 'application/json', '', 400],
    ['mail-hook', null, '', 400],
    ['mail-hook', 'application/json', '{"ref":', 400],
    ['mail-hook', 'application/json', 'null', 400],
    ['mail-hook', 'application/json', '"text"', 400],
    ['github', 'application/json', '{"action":"opened"}', 202],
    ['github', 'application/x-www-form-urlencoded', form, 202],
    ['github', 'application/x-www-form-urlencoded; charset=utf-8', form, 202],
    ['github', 'application/x-www-form-urlencoded', '{"action":"opened"}', 202],
    ['github', 'application/x-www-form-urlencoded', 'payload=%7B', 400],
    ['github', 'application/x-www-form-urlencoded', 'payload=%', 400],
    ['github', 'application/x-www-form-urlencoded', 'payload=%FF', 400],
    ['github', 'application/x-www-form-urlencoded', `${form}&${form}`, 400],
    ['github', 'application/x-www-form-urlencoded', '', 400],
    ['github', 'application/json', '[]', 400],
    ['github', 'text/plain', '{}', 415],
    ['stripe', 'application/json; charset=utf-8', event, 202],
    ['stripe', null, event, 202],
    ['stripe', 'application/x-www-form-urlencoded', form, 415],
    ['stripe', 'application/json', '', 400],
  ];
  test.each(table)('%s, %s, %j: %d', async (source, type, body, status) => {
    const signed = Object.entries(signers[source](body));
    const headers: [string, string][] = type === null ? signed : [...signed, ['content-type', type]];
    const answer = await sendRaw(ingress.port, `/ingress/${source}`, { headers, body: Buffer.from(body) });
    expect([answer.status, answer.body]).toEqual([status, expect.any(String)]);
    const expected =
      status === 415 ? 'CONTENT_TYPE_UNSUPPORTED' : /BODY_MALFORMED|ANNOUNCEMENT_INVALID|accepted/;
    expect(answer.body).toMatch(expected);
  });

  test('bytes that are no UTF-8 are a 400 although their signature is good', async () => {
    const raw = Buffer.from('7b22726566223a22ff227d', 'hex');
    const answer = await ingress.post('mail-hook', sign(raw), raw);
    expect([answer.status, await codeOf(answer)]).toEqual([400, 'BODY_MALFORMED']);
  });

  test('100 levels are taken, 101 are a 400', async () => {
    const nested = (depth: number) =>
      `{"ref":"new_item","id":"deep","data":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
    expect((await ingress.post('mail-hook', sign(nested(100)), nested(100))).status).toBe(202);
    const answer = await ingress.post('mail-hook', sign(nested(101)), nested(101));
    expect([answer.status, await codeOf(answer)]).toEqual([400, 'BODY_TOO_DEEP']);
    const bomb = '['.repeat(60_000);
    expect(await codeOf(await ingress.post('mail-hook', sign(bomb), bomb))).toBe('BODY_TOO_DEEP');
  });
});

describe('sizes and time', () => {
  const big = Buffer.alloc(64 * 1024 + 1, 0x20);

  test('a body over the limit is a 413 by its announced length', async () => {
    const answer = await ingress.post('mail-hook', sign(big), big);
    expect([answer.status, await codeOf(answer)]).toEqual([413, 'BODY_TOO_LARGE']);
    expect(ingress.facts.at(-1)).toMatchObject({ source: 'mail-hook', status: 413, code: 'BODY_TOO_LARGE' });
  });

  test('and while it is read where none is announced', async () => {
    const head = 'POST /ingress/mail-hook HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
    const answer = await speakRaw(
      ingress.port,
      [Buffer.from(head), ...Array(6).fill(Buffer.from(chunk))],
      false,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('BODY_TOO_LARGE');
  });

  test('a body of exactly the limit is read', async () => {
    const body = one + ' '.repeat(64 * 1024 - one.length);
    expect((await ingress.post('mail-hook', sign(body), body)).status).toBe(202);
  });

  test('half a head, half a body and no byte at all end at the deadline, and others are served meanwhile', async () => {
    const slow = await startIngress([mail], { requestTimeoutMs: 300 });
    const halves = [
      'POST /ingress/mail-hook HTTP/1.1\r\nHos',
      'POST /ingress/mail-hook HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"ref"',
    ].map((text) => speakRaw(slow.port, [Buffer.from(text)], false));
    expect((await slow.post('mail-hook', sign(one), one)).status).toBe(202);
    for (const answer of await Promise.all(halves)) {
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
      expect(answer).toContain('REQUEST_TIMEOUT');
    }
    expect(slow.enqueued).toHaveLength(1);
    await slow.close();
  });

  test('a sender that hangs up in the middle leaves nothing behind', async () => {
    const socket = connect(ingress.port, '127.0.0.1');
    socket.write('POST /ingress/mail-hook HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"ref"');
    await new Promise((next) => setTimeout(next, 50));
    socket.destroy();
    expect((await ingress.post('mail-hook', sign(one), one)).status).toBe(202);
    expect(ingress.lines.some((line) => line.includes('request.failed'))).toBe(false);
  });

  test('idle connections outlive a load balancer and do not hold up the end', async () => {
    const idle = await startIngress([mail]);
    expect(idle.app.server.keepAliveTimeout).toBeGreaterThan(60_000);
    expect(idle.app.server.headersTimeout).toBeGreaterThan(idle.app.server.keepAliveTimeout);
    const socket = connect(idle.port, '127.0.0.1');
    socket.write('GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n');
    await new Promise((next) => socket.once('data', next));
    await idle.close();
    socket.destroy();
  });

  test('a broken request is a 400 in the contract’s shape', async () => {
    const answer = await speakRaw(ingress.port, [Buffer.from('NONSENSE\r\n\r\n')]);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('REQUEST_INVALID');
  });
});

describe('the queue', () => {
  test.each([
    ['QUEUE_UNAVAILABLE', 5],
    ['QUEUE_FULL', 30],
  ] as const)('G1: %s is a 503 with Retry-After, not a 2xx', async (queueCode, seconds) => {
    const away = await startIngress([mail, githubSource], {
      enqueue: () => Promise.reject(new CodedError(queueCode)),
    });
    const answer = await away.post('mail-hook', sign(one), one);
    expect([answer.status, await codeOf(answer)]).toEqual([503, queueCode]);
    expect(answer.headers.get('retry-after')).toBe(String(seconds));
    expect(away.facts.at(-1)).toMatchObject({
      source: 'mail-hook',
      status: 503,
      code: queueCode,
      accepted: 0,
    });
    // A ping needs no queue.
    const ping = await away.post('github', { ...signGithub('{}'), 'x-github-event': 'ping' }, '{}');
    expect(ping.status).toBe(200);
    await away.close();
  });

  test('G1: the answer waits until the queue has it', async () => {
    let release = () => {};
    const taken = new Promise<void>((resolve) => {
      release = resolve;
    });
    const waiting = await startIngress([mail], { enqueue: () => taken });
    let answered = false;
    const answer = waiting.post('mail-hook', sign(one), one).then((got) => {
      answered = true;
      return got.status;
    });
    await new Promise((next) => setTimeout(next, 100));
    expect(answered).toBe(false);
    release();
    expect(await answer).toBe(202);
    await waiting.close();
  });

  test('a fault of ours is a bare 500 whose cause only the log holds', async () => {
    const broken = await startIngress([mail], { enqueue: () => Promise.reject(new Error('inner secret')) });
    const answer = await broken.post('mail-hook', sign(one), one);
    const body = await answer.text();
    expect(answer.status).toBe(500);
    expect(body).toContain('INTERNAL');
    expect(body).not.toContain('inner');
    expect(
      broken.lines.some((line) => line.includes('inner secret') && line.includes('request.failed')),
    ).toBe(true);
    await broken.close();
  });
});

describe('one wide line per delivery', () => {
  test('it names source, delivery, answer and counts, and nothing of payload or secret', async () => {
    const body = '{"ref":"new_item","id":"secret-event","account":"who@example.com","data":"very private"}';
    const before = ingress.lines.length;
    const headers = sign(body, 'msg_wide');
    await ingress.post('mail-hook', headers, body);
    await ingress.post('mail-hook', { ...headers, 'webhook-signature': 'v1,AAAA' }, body);
    const lines = ingress.lines.slice(before);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        msg: 'delivery.accepted',
        source: 'mail-hook',
        delivery: 'msg_wide',
        status: 202,
        code: null,
        accepted: 1,
        unmapped: 0,
        bytes: body.length,
      }),
      expect.objectContaining({
        msg: 'delivery.refused',
        source: 'mail-hook',
        delivery: null,
        status: 401,
        code: 'SIGNATURE_MISMATCH',
      }),
    ]);
    for (const word of ['private', 'who@', 'secret-event', whsec, headers['webhook-signature'] ?? ''])
      expect(lines.join()).not.toContain(word);
  });
});

describe('properties', () => {
  test('S21: how the bytes are cut on the wire never changes a verdict', async () => {
    const body = Buffer.from(
      '{"ref":"new_item","id":"é🚀\u2028","data":{"text":"naïve 🚀🚀 \\u00e9 \\/"}}\r\n',
    );
    const cuts = fc.array(fc.integer({ min: 1, max: body.length - 1 }), { maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(cuts, fc.boolean(), fc.boolean(), async (at, chunked, tamper) => {
        const edges = [0, ...new Set(at.sort((a, b) => a - b)), body.length];
        const sent = Buffer.from(body);
        if (tamper) sent[30] = 0x7a;
        const pieces = edges.slice(1).map((to, index) => sent.subarray(edges[index], to));
        const lines = Object.entries(sign(body)).map(([name, value]) => `${name}: ${value}`);
        lines.push('Host: x', 'Connection: close', 'Content-Type: application/json');
        lines.push(chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${body.length}`);
        const head = Buffer.from(`POST /ingress/mail-hook HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
        const wire = chunked
          ? [
              ...pieces.map((piece) =>
                Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]),
              ),
              Buffer.from('0\r\n\r\n'),
            ]
          : pieces;
        const answer = await speakRaw(ingress.port, [head, ...wire], false);
        expect(answer.split(' ')[1]).toBe(tamper ? '401' : '202');
      }),
      { numRuns: 60 },
    );
    expect(ingress.enqueued.at(-1)?.event).toBe('é🚀\u2028');
  });

  test('no request makes a 5xx', async () => {
    const type = fc.option(
      fc.oneof(
        fc.constantFrom('application/json', 'application/x-www-form-urlencoded', 'text/plain', 'a/b;c'),
        fc.stringMatching(/^[ -~]{0,30}$/),
      ),
      { nil: undefined },
    );
    const body = fc.oneof(
      fc.json().map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc
        .record(
          {
            ref: fc.anything(),
            id: fc.anything(),
            account: fc.anything(),
            state: fc.anything(),
            occurred_at: fc.anything(),
            data: fc.anything(),
            action: fc.anything(),
            type: fc.anything(),
            installation: fc.anything(),
          },
          { requiredKeys: [] },
        )
        .map((value) =>
          Buffer.from(
            JSON.stringify(value, (_key, inner: unknown) =>
              typeof inner === 'bigint' ? String(inner) : inner,
            ) ?? '',
          ),
        ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('mail-hook', 'github', 'stripe', 'none'),
        fc.constantFrom('POST', 'POST', 'POST', 'PUT', 'GET'),
        type,
        body,
        fc.boolean(),
        async (source, method, contentType, bytes, signed) => {
          const signatures = !signed
            ? {}
            : source === 'github'
              ? signGithub(bytes)
              : source === 'stripe'
                ? signStripe(bytes)
                : sign(bytes);
          const headers = Object.entries(
            contentType === undefined ? signatures : { ...signatures, 'content-type': contentType },
          );
          const answer = await sendRaw(ingress.port, `/ingress/${source}`, { method, headers, body: bytes });
          expect(answer.status).toBeLessThan(500);
          if (!signed && method === 'POST') expect(answer.status).toBeGreaterThanOrEqual(400);
        },
      ),
      { numRuns: 400 },
    );
  });
});
