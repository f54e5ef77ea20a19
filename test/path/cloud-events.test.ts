import { CloudEvent, HTTP } from 'cloudevents';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultDirectory, type Product, startProduct } from '../helpers/start-product.ts';
import { hasPostgres, queueBackends } from '../helpers/stores.ts';
import { waitFor } from '../helpers/wait-for.ts';

const batch = 'application/cloudevents-batch+json';
const [backend] = queueBackends;

describe.skipIf(!hasPostgres || backend === undefined)('CloudEvents through the whole product', () => {
  let product: Product;
  beforeAll(async () => {
    product = await startProduct({
      queueUrl: (await backend?.url()) ?? '',
      config: (usual) => ({
        sources: [
          ...(Array.isArray(usual.sources) ? usual.sources : []),
          {
            id: 'shop',
            type: 'vendor',
            vendor: 'cloudevents',
            pack: 'mail',
            secrets: [{ env: 'GITHUB_SECRET' }],
            params: { origins: 'shop.example.com', rate: '600' },
            refs: { 'com.example.order.created': 'new_item' },
          },
        ],
      }),
      directory: {
        ...defaultDirectory,
        bindings: [
          ...defaultDirectory.bindings,
          {
            id: 'bnd_shop',
            pack: 'mail',
            principal: 'user_42',
            account: 'source:https://shop.example.com/',
            mode: 'user',
          },
        ],
      },
    });
  });
  afterAll(() => product?.stop());

  test('S14 G9: in by binary mode, out with its attribution; in again by structured mode, it is no second event', async () => {
    const asked = await product.request('OPTIONS', '/ingress/shop', {
      headers: { 'webhook-request-origin': 'shop.example.com' },
    });
    expect([
      asked.status,
      asked.headers.get('webhook-allowed-origin'),
      asked.headers.get('webhook-allowed-rate'),
    ]).toEqual([200, 'shop.example.com', '600']);

    const made = new CloudEvent({
      id: 'order-42',
      source: 'https://shop.example.com/',
      type: 'com.example.order.created',
      time: '2025-06-15T15:06:40.000Z',
      data: { id: 'm_1', total: 4200 },
    });
    const send = async (mode: 'binary' | 'structured') => {
      const { headers, body } = HTTP[mode](made);
      const plain = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
      return product.post('shop', String(body), {
        ...plain,
        authorization: `Bearer ${product.secrets.GITHUB_SECRET}`,
      });
    };
    expect((await send('binary')).status).toBe(202);
    const lease = () =>
      product.request('POST', '/v1/inbox/lease', {
        headers: {
          accept: batch,
          authorization: `Bearer ${product.secrets.INVOKER_TOKEN}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ wait_seconds: 20 }),
      });
    const leased = await lease();
    expect(leased.headers.get('hcp-lease-id')).not.toBeNull();
    expect(leased.text).toContain(`,"data":${JSON.stringify(made.data)}}`);
    const [event, ...others] = [
      HTTP.toEvent({
        headers: { 'content-type': leased.headers.get('content-type') ?? '' },
        body: leased.text,
      }),
    ].flat();
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      source: '/tenants/acme/sources/shop',
      type: 'mail.new_item',
      time: made.time,
      subject: 'bnd_shop',
      hcpprincipal: 'user_42',
      hcpevent: 'https://shop.example.com/:order-42',
      hcptrust: 'external',
    });

    expect((await send('structured')).status).toBe(202);
    const decisions = await waitFor('the second delivery is explained', async () => {
      const answer = await product.request('GET', '/v1/explain?source=shop&delivery_id=order-42', {
        headers: { authorization: `Bearer ${product.secrets.ADMIN_TOKEN}` },
      });
      const explained = JSON.parse(answer.text);
      return explained.decisions.length === 2 ? explained.decisions : null;
    });
    expect(decisions.map(({ outcome }: { outcome: string }) => outcome).sort()).toEqual([
      'duplicate',
      'recorded',
    ]);
  });
});
