import { createHmac, generateKeyPairSync, sign as signWithKey } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPlantedFiles } from '../../src/create-planted-files.ts';
import { createGreeter } from '../../src/ingress/create-greeter.ts';
import type { SourceContext } from '../../src/ingress/create-source.ts';
import type { View } from '../../src/ingress/read-place.ts';
import type { Handshake } from '../../src/ingress/vendors/profile.ts';
import { startIngress, type TestSource } from './start-ingress.ts';

const hex = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');
const noQueue = async () => {
  throw new Error('a handshake asks no queue');
};
const start = (sources: readonly (TestSource & { context?: SourceContext })[]) =>
  startIngress(sources, { enqueue: noQueue });

describe('handshakes, with no queue behind them', () => {
  const pair = generateKeyPairSync('ed25519');
  const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
  let ingress: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    ingress = await start([
      {
        settings: { id: 'meta', type: 'vendor', vendor: 'meta', pack: 'chat' },
        secrets: ['app'],
        context: { params: { verify_token: 'chosen' } },
      },
      {
        settings: { id: 'graph', type: 'vendor', vendor: 'microsoft-graph', pack: 'mail' },
        secrets: ['state'],
      },
      { settings: { id: 'discord', type: 'vendor', vendor: 'discord', pack: 'chat' }, secrets: [publicKey] },
    ]);
  });
  afterAll(() => ingress.close());
  const get = (path: string, method = 'GET') => fetch(`${ingress.url}/ingress/${path}`, { method });

  test('Meta: the challenge for the verify token, again and again; 403 for another; 405 without', async () => {
    const query = 'meta?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=';
    for (let count = 0; count < 3; count += 1) {
      const answer = await get(`${query}chosen`);
      expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
        200,
        'text/plain',
        '1158201444',
      ]);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
    for (const token of ['other', '', 'chosenx']) expect((await get(`${query}${token}`)).status).toBe(403);
    expect((await get('meta')).status).toBe(405);
    expect((await get(`${query}chosen`, 'DELETE')).status).toBe(405);
    expect((await get(`graph?validationToken=x`)).status).toBe(405);
  });

  test('Microsoft Graph: the decoded token as text, before the body and its type are looked at', async () => {
    const answer = await fetch(`${ingress.url}/ingress/graph?validationToken=a%20b%2Bc%3Cscript%3E`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      'text/plain',
      'a b+c<script>',
    ]);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test('Discord: PING of both products only when signed, and 401 for its wrong signatures', async () => {
    const ping = async (body: string, signed = body) => {
      const time = String(Math.floor(Date.now() / 1000));
      const signature = signWithKey(null, Buffer.from(time + signed), pair.privateKey).toString('hex');
      const answer = await ingress.post(
        'discord',
        {
          'content-type': 'application/json',
          'x-signature-ed25519': signature,
          'x-signature-timestamp': time,
        },
        body,
      );
      return [answer.status, await answer.text()];
    };
    expect(await ping('{"type":1}')).toEqual([200, '{"type":1}']);
    expect(await ping('{"version":1,"type":0}')).toEqual([204, '']);
    expect((await ping('{"type":1}', '{"type":0}'))[0]).toBe(401);
  });
});

describe('a key that is planted', () => {
  let dir = '';
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sense-planted-'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));
  const asana = (id: string, pending: boolean, context: SourceContext) => ({
    settings: { id, type: 'vendor', vendor: 'asana', pack: 'tasks', pending } as const,
    secrets: [] as string[],
    context,
  });
  const body = '{"events":[]}';

  test('is taken once while the source is pending, echoed, kept for us alone, live at once, and never replaced', async () => {
    const planted = createPlantedFiles(join(dir, 'planted'));
    const ingress = await start([asana('asana', true, { planted })]);
    const plant = (secret: string) => ingress.post('asana', { 'x-hook-secret': secret }, '');
    const deliver = (secret: string) =>
      ingress.post('asana', { 'x-hook-signature': hex(secret, body) }, body);
    try {
      expect((await deliver('first-key')).status).toBe(401);
      for (let count = 0; count < 2; count += 1) {
        const answer = await plant('first-key');
        expect([answer.status, answer.headers.get('x-hook-secret'), await answer.text()]).toEqual([
          200,
          'first-key',
          '',
        ]);
      }
      expect((await deliver('first-key')).status).toBe(200);
      const refused = await plant('second-key');
      expect([refused.status, refused.headers.get('x-hook-secret')]).toEqual([403, null]);
      expect((await deliver('second-key')).status).toBe(401);
      const file = join(dir, 'planted', 'asana');
      expect(await readFile(file, 'utf8')).toBe('first-key');
      expect((await stat(file)).mode & 0o777).toBe(0o600);
      expect(ingress.lines.join('')).not.toMatch(/first-key|second-key/);
    } finally {
      await ingress.close();
    }
  });

  test('of many at the same time one is taken', async () => {
    const planted = createPlantedFiles(join(dir, 'race'));
    const took = await Promise.all(
      Array.from({ length: 20 }, (_, index) => planted.plant('s', `key-${index}`)),
    );
    expect(took.filter(Boolean)).toHaveLength(1);
    expect(await planted.read('s')).toBe(`key-${took.indexOf(true)}`);
    expect(await planted.read('other')).toBeNull();
  });

  test('a process that did not see it planted finds it; without pending none is taken', async () => {
    const planted = createPlantedFiles(join(dir, 'shared'));
    const other = await start([asana('a', true, { planted })]);
    try {
      await planted.plant('a', 'the-key');
      expect((await other.post('a', { 'x-hook-signature': hex('the-key', body) }, body)).status).toBe(200);
    } finally {
      await other.close();
    }
    const settled = await start([asana('a', false, { planted, plantedSecret: 'the-key' })]);
    try {
      const answer = await settled.post('a', { 'x-hook-secret': 'a-new-key' }, '');
      expect([answer.status, answer.headers.get('x-hook-secret')]).toEqual([401, null]);
      expect((await settled.post('a', { 'x-hook-signature': hex('the-key', body) }, body)).status).toBe(200);
    } finally {
      await settled.close();
    }
    await expect(start([asana('b', false, { planted })])).rejects.toThrow(/Source b: asana needs a secret/);
  });
});

describe('a handshake that signs what the caller sends', () => {
  const handshake: Handshake = {
    when: [{ at: { json: ['event'] }, is: 'endpoint.url_validation' }],
    answer: {
      status: 200,
      body: {
        object: {
          plainToken: { json: ['payload', 'plainToken'] },
          encryptedToken: {
            hmacOf: { json: ['payload', 'plainToken'] },
            only: /^[A-Za-z0-9_-]{1,64}$/,
            encoding: 'hex',
          },
        },
      },
    },
  };
  const greeter = createGreeter({
    handshakes: [handshake],
    params: {},
    newestSecret: () => 'secret',
    plant: null,
    visit: async () => ({ kind: 'away' }),
  });
  const ask = (plainToken: unknown) => {
    const body = { event: 'endpoint.url_validation', payload: { plainToken } };
    const view: View = { headers: {}, query: '', body, item: body };
    return greeter.at('proven-body', 'POST', view);
  };

  test('answers the token exactly', () => {
    expect(ask('qgg8vlvZRS6UYooatFL8Aw')).toMatchObject({
      kind: 'greeted',
      type: 'application/json; charset=utf-8',
      body: `{"plainToken":"qgg8vlvZRS6UYooatFL8Aw","encryptedToken":"${hex('secret', 'qgg8vlvZRS6UYooatFL8Aw')}"}`,
    });
  });

  test.each(['v0:1750000000:{"event":"x"}', '{"event":"x"}', '', 'a:b', 'a'.repeat(65), 7, null])(
    'is no oracle: %j is not signed',
    (token) => {
      expect(ask(token)).toBeNull();
    },
  );
});

describe('URLs that are signed', () => {
  test('come from the configuration, whatever Host and X-Forwarded say; without it the source does not start', async () => {
    const settings = { id: 'twilio', type: 'vendor', vendor: 'twilio', pack: 'calls' } as const;
    await expect(start([{ settings, secrets: ['t'] }])).rejects.toThrow(/Source twilio: .*http\.public_url/);
    const url = 'https://hooks.example/ingress/twilio';
    const ingress = await startIngress([{ settings, secrets: ['t'], context: { url } }]);
    try {
      const form = 'AccountSid=AC1&MessageSid=SM1';
      const signed = (address: string) =>
        createHmac('sha1', 't').update(`${address}AccountSidAC1MessageSidSM1`).digest('base64');
      const post = (signature: string, more: Record<string, string> = {}) =>
        fetch(`${ingress.url}/ingress/twilio?foo=1&bar=a%20b`, {
          method: 'POST',
          body: form,
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            'x-twilio-signature': signature,
            ...more,
          },
        });
      const good = await post(signed(`${url}?foo=1&bar=a%20b`));
      expect([good.status, good.headers.get('content-type'), await good.text()]).toEqual([
        200,
        'text/xml',
        '<Response/>',
      ]);
      expect((await post(signed('https://hooks.example:443/ingress/twilio?foo=1&bar=a%20b'))).status).toBe(
        200,
      );
      const evil = signed('https://evil.example/ingress/twilio?foo=1&bar=a%20b');
      const forwarded = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
      expect((await post(evil, forwarded)).status).toBe(401);
      expect((await post(signed(`${url}?foo=1&bar=a b`))).status).toBe(401);
    } finally {
      await ingress.close();
    }
  });
});

describe('batches', () => {
  test('Microsoft Graph: an item without our clientState is left out alone; a batch without any is answered 202 and kept nowhere', async () => {
    const settings = { id: 'graph', type: 'vendor', vendor: 'microsoft-graph', pack: 'mail' } as const;
    const ingress = await startIngress([{ settings, secrets: ['state'] }]);
    const item = (id: string, clientState?: string) => ({
      id,
      clientState,
      changeType: 'created',
      subscriptionId: 's',
    });
    const post = (value: unknown) =>
      ingress.post('graph', { 'content-type': 'application/json' }, JSON.stringify({ value }));
    try {
      const answer = await post([item('1', 'state'), item('2', 'guess'), item('3'), item('4', 'state')]);
      expect([answer.status, await answer.text()]).toEqual([202, '']);
      expect(ingress.enqueued.map(({ event }) => event)).toEqual(['1', '4']);
      expect(ingress.facts.at(-1)).toMatchObject({ accepted: 2, unproven: 2 });
      expect(JSON.parse(ingress.lines.at(-1) ?? '')).toMatchObject({ level: 40, accepted: 2, unproven: 2 });
      for (const value of [[item('5', 'guess')], [item('6')], [], 'x']) {
        const refused = await post(value);
        expect([refused.status, await refused.text()]).toEqual([202, '']);
        expect(ingress.facts.at(-1)?.code).toMatch(/^SIGNATURE_/);
      }
      expect(ingress.enqueued).toHaveLength(2);
      expect(ingress.lines.join('')).not.toContain('guess');
    } finally {
      await ingress.close();
    }
  });

  test('the answer is no 2xx when the queue did not take all of it; items keep their own characters', async () => {
    const settings = { id: 'asana', type: 'vendor', vendor: 'asana', pack: 'tasks' } as const;
    const body =
      '{ "events" : [ {"action":"added","resource":{"gid":"1","resource_type":"task"},"n":1.0},\n{"action":"deleted","resource":{"gid":"2","resource_type":"task"}} ] }';
    const headers = { 'x-hook-signature': hex('k', body) };
    const down = await start([{ settings, secrets: ['k'] }]);
    expect((await down.post('asana', headers, body)).status).toBeGreaterThanOrEqual(500);
    await down.close();
    const ingress = await startIngress([{ settings, secrets: ['k'] }]);
    expect((await ingress.post('asana', headers, body)).status).toBe(200);
    expect(ingress.enqueued.map(({ data, ref }) => [ref, data])).toEqual([
      ['new_item', '{"action":"added","resource":{"gid":"1","resource_type":"task"},"n":1.0}'],
      ['item.deleted', '{"action":"deleted","resource":{"gid":"2","resource_type":"task"}}'],
    ]);
    await ingress.close();
  });
});
