import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CodedError } from '../../src/domain/errors.ts';
import { hashId } from '../../src/domain/hash-id.ts';
import { createSource } from '../../src/ingress/create-source.ts';
import { signDelivery } from '../../src/ingress/sign-delivery.ts';
import type { SourceSettings } from '../../src/ingress/source.ts';
import { type Ingress, startIngress, whsec } from './start-ingress.ts';

const mail: SourceSettings = { id: 'mail-hook', type: 'webhook', pack: 'mail' };
const many: SourceSettings = {
  id: 'many',
  type: 'webhook',
  packs: ['mail', 'issues'],
  binding: 'bnd_1',
  cwd: '/srv/ws',
};
const plain: SourceSettings = {
  id: 'plain',
  type: 'webhook',
  pack: 'mail',
  signature: { header: 'X-Signature', algorithm: 'sha512', encoding: 'base64', prefix: 'v=' },
};

let ingress: Ingress;
beforeAll(async () => {
  ingress = await startIngress([
    { settings: mail, secrets: [whsec] },
    { settings: many, secrets: [whsec] },
    { settings: plain, secrets: ['old', 'new'] },
  ]);
});
beforeEach(() => {
  ingress.enqueued.length = 0;
});
afterAll(() => ingress.close());

const announce = async (body: string, source = 'mail-hook', id = 'msg_1') => {
  const now = new Date();
  const answer = await ingress.post(
    source,
    {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(whsec).sign(id, now, body),
    },
    body,
  );
  const got: unknown = await answer.json();
  return { status: answer.status, body: got };
};

const faultsOf = (body: unknown): unknown =>
  Reflect.get(Object(Reflect.get(Object(body), 'error')), 'faults');

describe('S21: announcements of type webhook', () => {
  test('one, signed by the peer library, becomes the announcement that was sent', async () => {
    const sent =
      '{"ref":"new_item","id":"e-1","account":"inbox@example.com","occurred_at":1750000000,"data":{"id":"m_1"}}';
    expect(await announce(sent)).toEqual({ status: 202, body: { accepted: 1 } });
    expect(ingress.enqueued).toEqual([
      {
        source: 'mail-hook',
        delivery: 'msg_1',
        pack: 'mail',
        ref: 'new_item',
        event: 'e-1',
        eventHash: hashId('e-1'),
        accounts: ['inbox@example.com'],
        binding: null,
        workspace: null,
        occurredAt: '2025-06-15T15:06:40.000Z',
        receivedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        state: null,
        data: '{"id":"m_1"}',
      },
    ]);
  });

  test('G8: an array keeps its order; an empty one is nothing to do', async () => {
    const items = [1, 2, 3].map((n) => `{"ref":"new_item","id":"${n}","data": [${n}.0 ] }`);
    expect(await announce(`[${items.join(' , ')}]`)).toEqual({ status: 202, body: { accepted: 3 } });
    expect(ingress.enqueued.map(({ event, data }) => [event, data])).toEqual([
      ['1', '[1.0 ]'],
      ['2', '[2.0 ]'],
      ['3', '[3.0 ]'],
    ]);
    expect(await announce('[]')).toEqual({ status: 202, body: { accepted: 0 } });
  });

  test.each([
    '{"id":9007199254740993,"a":1,"a":2}',
    '{ "z":1 , "a":[1e400,0.10,-0] }',
    '"\\u0000 \\ud800 \\/ \\u00e9 é"',
    '{"__proto__":{"admin":true},"constructor":{"prototype":{}}}',
    'null',
    '12345678901234567890.0',
  ])('G9: data %s arrives as those very characters', async (data) => {
    await announce(`{"data":"earlier","ref":"new_item", "id":"x","data" : ${data}}`);
    expect(ingress.enqueued[0]?.data).toBe(data);
    expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false);
  });

  test('no data is null; null stands for an absent field', async () => {
    await announce('{"ref":"new_item","id":"x","account":null,"state":null,"occurred_at":null}');
    expect(ingress.enqueued[0]).toMatchObject({ data: 'null', accounts: [], state: null, occurredAt: null });
  });

  test('a time that cannot be read is no refusal', async () => {
    expect((await announce('{"ref":"new_item","id":"x","occurred_at":{"when":"soon"}}')).status).toBe(202);
    expect(ingress.enqueued[0]?.occurredAt).toBeNull();
  });

  test('every fault is listed with its place, and nothing of a faulty delivery is taken', async () => {
    const { status, body } = await announce(
      '[{"ref":"new_item","id":"ok"},{"ref":"","id":7,"tenant":"acme","pack":"mail"},5,{"ref":"binding.degraded","id":"x","account":"a\\u0000"}]',
    );
    expect(status).toBe(400);
    expect(faultsOf(body)).toEqual([
      '[1].tenant: unknown field',
      '[1].pack: unknown field; this source serves one pack',
      '[1].ref: expected the name of a trigger, not empty',
      '[1].id: expected a text, not empty',
      '[2].expected an announcement, a JSON object',
      '[3].account: expected a text of at most 512 printable characters, not empty',
      '[3].state: expected a text, not empty; binding.degraded needs one',
    ]);
    expect(ingress.enqueued).toEqual([]);
  });

  test.each(['principal', 'tenant_id', 'binding', 'land', 'project', '__proto__', 'constructor', 'toString'])(
    'G5: %s at the top is an unknown field, refused',
    async (field) => {
      const { status, body } = await announce(`{"ref":"new_item","id":"x","${field}":"mine"}`);
      expect([status, faultsOf(body)]).toEqual([400, [`${field}: unknown field`]]);
    },
  );

  test('S14: a source of several packs lets each announcement name one of them, and fixes Binding and workspace', async () => {
    expect((await announce('{"ref":"new_item","id":"x","pack":"issues"}', 'many')).status).toBe(202);
    expect(ingress.enqueued[0]).toMatchObject({ pack: 'issues', binding: 'bnd_1', workspace: '/srv/ws' });
    for (const pack of ['', ',"pack":"other"', ',"pack":["mail"]', ',"pack":"constructor"'])
      expect(faultsOf((await announce(`{"ref":"new_item","id":"x"${pack}}`, 'many')).body)).toEqual([
        'pack: expected one of mail, issues',
      ]);
  });

  test('S23: binding.degraded carries its state', async () => {
    await announce('{"ref":"binding.degraded","id":"x","state":"expired"}');
    expect(ingress.enqueued[0]?.state).toBe('expired');
  });

  test('ids of any kind are told apart exactly and shown safely', async () => {
    const ids = [
      '1',
      '01',
      'a:b{c} d',
      '\u0000',
      '\ud800',
      '\ud801',
      '\ufffd',
      '🚀',
      'x'.repeat(5000),
      `${'x'.repeat(5000)}y`,
    ];
    await announce(`[${ids.map((id) => `{"ref":"new_item","id":${JSON.stringify(id)}}`).join()}]`);
    expect(new Set(ingress.enqueued.map(({ eventHash }) => eventHash)).size).toBe(ids.length);
    for (const { event } of ingress.enqueued) {
      expect(event.isWellFormed()).toBe(true);
      expect(event.length).toBeLessThanOrEqual(512);
      expect(event).not.toContain('\u0000');
    }
  });

  test('a plain HMAC as configured, either secret; the delivery id is ours', async () => {
    const body = Buffer.from('{"ref":"new_item","id":"x"}');
    for (const [secret, status] of [
      ['old', 202],
      ['new', 202],
      ['other', 401],
    ] as const) {
      const { headers } = signDelivery(plain, secret, { id: 'mine', raw: body, now: Date.now() });
      expect(Object.keys(headers)).toContain('x-signature');
      const answer = await ingress.post('plain', headers, body);
      expect(answer.status).toBe(status);
      if (status === 202) expect(answer.headers.get('x-delivery-id')).toBe(ingress.enqueued.at(-1)?.delivery);
    }
    const [first, second] = ingress.enqueued;
    expect(first?.delivery).toMatch(/^[0-9a-f-]{36}$/);
    expect(first?.delivery).not.toBe(second?.delivery);
  });

  test('property: any JSON as data passes through verbatim', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), fc.string({ minLength: 1, unit: 'binary' }), async (data, id) => {
        ingress.enqueued.length = 0;
        await announce(`{"ref":"new_item","data":${data},"id":${JSON.stringify(id)}}`);
        expect(ingress.enqueued.map((one) => [one.data, one.eventHash])).toEqual([[data, hashId(id)]]);
      }),
      { numRuns: 100 },
    );
  });
});

describe('S35: a source that could not verify refuses to start, by name', () => {
  const codeOf = (settings: SourceSettings, secrets: string[]) => {
    try {
      createSource(settings, secrets);
    } catch (error) {
      if (error instanceof CodedError) return `${error.code}: ${error.message}`;
    }
    return 'no error';
  };

  test.each([[[]], [['']], [['  ']], [['not base64!']], [[whsec, '']], [['whsec_']]])(
    'secrets %j',
    (secrets) => {
      expect(codeOf(mail, secrets)).toMatch(/^SECRET_UNUSABLE: Source mail-hook/);
      for (const secret of secrets)
        if (secret.trim() !== '' && secret !== 'whsec_') expect(codeOf(mail, secrets)).not.toContain(secret);
    },
  );

  test('an unknown vendor names the nearest; a webhook needs a pack', () => {
    expect(codeOf({ id: 'x', type: 'vendor', vendor: 'githib', pack: 'p' }, ['s'])).toContain(
      'did you mean github',
    );
    expect(codeOf({ id: 'x', type: 'webhook' }, [whsec])).toMatch(/^CONFIG_INVALID/);
  });
});
