import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createNetworkCheck } from '../../src/ingress/create-network-check.ts';
import { findProfile } from '../../src/ingress/vendors/find-profile.ts';
import { signHmac } from '../../src/ingress/verify/sign-hmac.ts';
import { signProof } from '../../src/ingress/verify/sign-proof.ts';
import { standardWebhooks } from '../../src/ingress/verify/standard-webhooks.ts';
import { codeOf, type Ingress, speakRaw, startIngress, type TestSource, whsec } from './start-ingress.ts';

const mail: TestSource = { settings: { id: 'mail-hook', type: 'webhook', pack: 'mail' }, secrets: [whsec] };
const slack: TestSource = {
  settings: { id: 'slack', type: 'vendor', vendor: 'slack', pack: 'chat' },
  secrets: ['slack-secret'],
};
const one = '{"ref":"new_item","id":"e1","account":"inbox@example.com","data":{"id":"m_1"}}';
const sign = (raw: string | Uint8Array, id = 'msg_1') =>
  signHmac(standardWebhooks, whsec, {
    ...{ method: 'POST', url: '', headers: { 'webhook-id': id } },
    raw: Buffer.from(raw),
    now: Date.now(),
  }).headers;

let ingress: Ingress;
const start = async (...given: Parameters<typeof startIngress>) => {
  ingress = await startIngress(...given);
  return ingress;
};

describe('body_limit of a source', () => {
  beforeAll(() => start([mail, slack], { gates: { 'mail-hook': { bodyLimit: 100 } } }));
  afterAll(() => ingress.close());
  const big = one + ' '.repeat(101 - one.length);
  const head = (more: string) =>
    Buffer.from(`POST /ingress/mail-hook HTTP/1.1\r\nHost: x\r\n${more}\r\n\r\n`);

  test('bounds what is announced, and others are bound by the default', async () => {
    const answer = await ingress.post('mail-hook', sign(big), big);
    expect([answer.status, await codeOf(answer)]).toEqual([413, 'BODY_TOO_LARGE']);
    const fits = one + ' '.repeat(100 - one.length);
    expect((await ingress.post('mail-hook', sign(fits), fits)).status).toBe(202);
    expect(await codeOf(await ingress.post('slack', {}, big))).toBe('SIGNATURE_MISSING');
  });

  test('bounds what is not announced while it is read: the rest is not waited for', async () => {
    const chunk = Buffer.from(`65\r\n${big}\r\n`);
    const answer = await speakRaw(ingress.port, [head('Transfer-Encoding: chunked'), chunk], false);
    expect(answer).toMatch(/^HTTP\/1\.1 413 .*BODY_TOO_LARGE/s);
  });

  test('is told before a byte of the body is there', async () => {
    const answer = await speakRaw(ingress.port, [head('Connection: close\r\nContent-Length: 101')], false);
    expect(answer).toMatch(/^HTTP\/1\.1 413 .*BODY_TOO_LARGE/s);
  });
});

describe('packed bodies', () => {
  beforeAll(() => start([mail, slack], { bodyLimit: 4096 }));
  afterAll(() => ingress.close());
  const post = (coding: string, body: Buffer, signed: string | Buffer) =>
    ingress.post('mail-hook', { ...sign(signed), 'content-encoding': coding }, body);

  test.each([
    ['gzip', gzipSync(one)],
    ['GZip', gzipSync(one)],
    ['x-gzip', gzipSync(one)],
    ['deflate', deflateSync(one)],
    ['deflate', deflateRawSync(one)],
    ['identity', Buffer.from(one)],
  ])('%s is unpacked, and the signature of what was packed holds', async (coding, body) => {
    const before = ingress.enqueued.length;
    expect((await post(coding, body, one)).status).toBe(202);
    expect(ingress.enqueued.at(before)?.data).toBe('{"id":"m_1"}');
  });

  test('a sender that signs what it packed is right as well', async () => {
    const packed = gzipSync(one);
    expect((await post('gzip', packed, packed)).status).toBe(202);
    expect(ingress.enqueued.at(-1)?.data).toBe('{"id":"m_1"}');
  });

  test('what neither holds for is a 401', async () => {
    expect(await codeOf(await post('gzip', gzipSync(one), 'other'))).toBe('SIGNATURE_MISMATCH');
  });

  test('a bomb is a 413 by what it unpacks to', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    const big = await startIngress([mail], { bodyLimit: 1024 * 1024 });
    const answer = await big.post('mail-hook', { ...sign('x'), 'content-encoding': 'gzip' }, bomb);
    expect([answer.status, await codeOf(answer)]).toEqual([413, 'BODY_TOO_LARGE']);
    await big.close();
  });

  test.each(['gzip', 'deflate'])('what is no %s is a 400', async (coding) => {
    for (const body of [Buffer.from(one), gzipSync(one).subarray(0, 30), Buffer.from([0x78])])
      expect(await codeOf(await post(coding, body, one))).toBe('BODY_MALFORMED');
  });

  test('however bytes are packed and cut, what is accepted is what was signed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 80 }),
        fc.constantFrom('gzip', 'deflate'),
        async (bytes, coding) => {
          const before = ingress.enqueued.length;
          const answer = await post(
            coding,
            Buffer.from(bytes),
            bytes.length % 2 === 0 ? one : Buffer.from(bytes),
          );
          expect(answer.status).toBeLessThan(500);
          expect(answer.status).toBeGreaterThanOrEqual(400);
          expect(ingress.enqueued.length).toBe(before);
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('networks', () => {
  test.each([
    ['192.0.2.0/24', '192.0.2.7', true],
    ['192.0.2.0/24', '192.0.3.7', false],
    ['192.0.2.0/24', '::ffff:192.0.2.7', true],
    ['::ffff:192.0.2.0/120', '192.0.2.7', true],
    ['2001:db8::/32', '2001:db8:1::9', true],
    ['2001:db8::/32', '2001:db9::9', false],
    ['fe80::/10', 'fe80::1%eth0', true],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['::/0', '203.0.113.9', false],
    ['10.1.2.3/8', '10.200.0.1', true],
    ['192.0.2.0/24', 'unknown', false],
    ['0.0.0.0/0', '', false],
  ])('%s holds %s: %s', (network, address, holds) => {
    expect(createNetworkCheck([network])(address)).toBe(holds);
  });

  afterEach(() => ingress.close());
  const via = (forwarded: string[]) =>
    new Promise<string>((resolve, reject) => {
      const call = httpRequest(
        `${ingress.url}/ingress/mail-hook`,
        { method: 'POST', agent: false },
        (answer) => {
          let text = '';
          answer.on('data', (part) => {
            text += String(part);
          });
          answer.on('end', () => resolve(`${answer.statusCode} ${text}`));
        },
      );
      call.on('error', reject);
      if (forwarded.length > 0) call.setHeader('x-forwarded-for', forwarded);
      for (const [name, value] of Object.entries(sign(one))) call.setHeader(name, value);
      call.end(one);
    });

  test('a peer outside is a 403 before its body is read, whatever it says of itself', async () => {
    await start([mail], { gates: { 'mail-hook': { admitsPeer: createNetworkCheck(['192.0.2.0/24']) } } });
    expect(await via([])).toContain('403 {"error":{"code":"NETWORK_REFUSED"');
    expect(await via(['192.0.2.7'])).toContain('403 ');
    const half =
      'POST /ingress/mail-hook HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 100\r\n\r\n';
    expect(await speakRaw(ingress.port, [Buffer.from(half)], false)).toMatch(/^HTTP\/1\.1 403 /);
    expect(ingress.enqueued).toEqual([]);
  });

  test('behind a trusted proxy the right-most address that is none counts', async () => {
    await start([mail], {
      gates: { 'mail-hook': { admitsPeer: createNetworkCheck(['192.0.2.0/24']) } },
      trustedProxies: ['127.0.0.0/8', '10.0.0.0/8'],
    });
    expect(await via(['192.0.2.7'])).toBe('202 {"accepted":1}');
    expect(await via(['203.0.113.9, 192.0.2.7, 10.0.0.1'])).toBe('202 {"accepted":1}');
    expect(await via(['203.0.113.9', '192.0.2.7'])).toBe('202 {"accepted":1}');
    expect(await via(['::ffff:192.0.2.7'])).toBe('202 {"accepted":1}');
    for (const forged of [
      '192.0.2.7, 203.0.113.9',
      '192.0.2.7, nonsense',
      '192.0.2.7, 203.0.113.9, 10.0.0.1',
      '',
    ])
      expect(await via([forged])).toContain('403 ');
    expect(await via([])).toContain('403 ');
  });
});

describe('paused', () => {
  beforeAll(() =>
    start([mail, slack], { gates: { 'mail-hook': { paused: true }, slack: { paused: true } } }),
  );
  afterAll(() => ingress.close());
  const signSlack = (raw: string) =>
    signProof(findProfile('slack').proof, 'slack-secret', {
      ...{ method: 'POST', url: '', headers: {}, raw: Buffer.from(raw), now: Date.now() },
    }).headers;

  test('a delivery is a 503 that says when to come again, and is not taken', async () => {
    const answer = await ingress.post('mail-hook', sign(one), one);
    expect([answer.status, await codeOf(answer)]).toEqual([503, 'SOURCE_PAUSED']);
    expect(answer.headers.get('retry-after')).toBe('60');
    const message = '{"type":"event_callback","event_id":"Ev1","team_id":"T1","event":{"type":"message"}}';
    const other = await ingress.post('slack', signSlack(message), message);
    expect([other.status, await codeOf(other)]).toEqual([503, 'SOURCE_PAUSED']);
    expect(ingress.enqueued).toEqual([]);
  });

  test('handshakes are answered, so that the vendor keeps the endpoint', async () => {
    const greeting = '{"type":"url_verification","challenge":"abc"}';
    const answer = await ingress.post('slack', signSlack(greeting), greeting);
    expect([answer.status, await answer.text()]).toEqual([200, 'abc']);
  });

  test('a stranger learns nothing of it where handshakes must be read first', async () => {
    expect(await codeOf(await ingress.post('slack', {}, '{}'))).toBe('SIGNATURE_MISSING');
  });
});

describe('rate limit', () => {
  test('only what has proven itself spends; the answer says when there is room', async () => {
    let spent = 0;
    await start([mail], {
      gates: {
        'mail-hook': {
          spend: () => {
            spent += 1;
            return spent > 2 ? 1_200 : 0;
          },
        },
      },
    });
    for (let n = 0; n < 5; n += 1)
      expect(
        (await ingress.post('mail-hook', { ...sign(one), 'webhook-signature': 'v1,AAAA' }, one)).status,
      ).toBe(401);
    expect(spent).toBe(0);
    expect((await ingress.post('mail-hook', sign(one), one)).status).toBe(202);
    expect((await ingress.post('mail-hook', sign(one), one)).status).toBe(202);
    const answer = await ingress.post('mail-hook', sign(one), one);
    expect([answer.status, await codeOf(answer)]).toEqual([429, 'RATE_LIMITED']);
    expect(answer.headers.get('retry-after')).toBe('2');
    expect(ingress.enqueued).toHaveLength(2);
    await ingress.close();
  });
});

describe('slow bodies', () => {
  const half = Buffer.from(
    'POST /ingress/mail-hook HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"ref"',
  );
  const drip = Buffer.from(
    'POST /ingress/mail-hook HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
  );

  test('a body that is not whole at its deadline is a 408, however it drips; others are served meanwhile', async () => {
    await start([mail], { bodyDeadlineMs: 300 });
    const dripping = connect(ingress.port, '127.0.0.1');
    let dripped = '';
    dripping.on('data', (part) => {
      dripped += String(part);
    });
    dripping.on('error', () => undefined);
    const over = new Promise((resolve) => dripping.on('close', resolve));
    dripping.write(drip);
    const timer = setInterval(() => dripping.write('1\r\n \r\n'), 20);
    const answer = speakRaw(ingress.port, [half], false);
    expect((await ingress.post('mail-hook', sign(one), one)).status).toBe(202);
    expect(await answer).toMatch(/^HTTP\/1\.1 408 .*REQUEST_TIMEOUT/s);
    await over;
    clearInterval(timer);
    expect(dripped).toMatch(/^HTTP\/1\.1 408 /);
    expect(ingress.facts.filter(({ status }) => status === 408)).toHaveLength(2);
    await ingress.close();
  });
});
