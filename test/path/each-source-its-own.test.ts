import { describe, expect, test } from 'vitest';
import { type Product, startProduct } from '../helpers/start-product.ts';
import { hasPostgres, queueBackends } from '../helpers/stores.ts';
import { waitFor } from '../helpers/wait-for.ts';

type State = { source: string; last_accepted_at: string | null; silent: boolean };

const stateOf = async (product: Product, source: string): Promise<State | undefined> => {
  const { status, body } = await product.the('ingress').readiness();
  expect(status).toBe(200);
  return (body as unknown as { sources: State[] }).sources.find((state) => state.source === source);
};

const mail = (id: string) => ({ ref: 'new_item', id, account: 'inbox@example.com' });

describe.skipIf(!hasPostgres).each(queueBackends)('each source has its own, on $kind', ({ url }) => {
  const start = async (
    onTestFinished: (end: () => Promise<void>) => void,
    more: Record<string, unknown>,
    http: Record<string, unknown> = {},
  ): Promise<Product> => {
    const product = await startProduct({
      queueUrl: await url(),
      roles: ['ingress'],
      config: (usual) => ({
        ...usual,
        http: { host: '127.0.0.1', port: 0, ...http },
        sources: [
          { id: 'mail-hook', type: 'webhook', pack: 'mail', secrets: [{ env: 'MAIL_SECRET' }], ...more },
          {
            id: 'github',
            type: 'vendor',
            vendor: 'github',
            pack: 'issues',
            secrets: [{ env: 'GITHUB_SECRET' }],
          },
        ],
      }),
    });
    onTestFinished(product.stop);
    return product;
  };

  test('rate limit, body limit and networks, as configured; another source is not touched', async ({
    onTestFinished,
  }) => {
    const product = await start(
      onTestFinished,
      { rate_limit: { per_second: 0.01, burst: 2 }, body_limit: '1kb', networks: ['192.0.2.0/24'] },
      { trusted_proxies: ['127.0.0.1/32'] },
    );
    const post = (id: string, pad = 0, from = '192.0.2.7') => {
      const body = JSON.stringify({ ...mail(id), data: 'x'.repeat(pad) });
      return product.post('mail-hook', body, { ...product.signed.mail(body), 'x-forwarded-for': from });
    };
    expect((await post('a', 0, '203.0.113.9')).text).toContain('NETWORK_REFUSED');
    expect((await post('b', 1_000)).text).toContain('BODY_TOO_LARGE');
    // On Redis the first may be asked before the connection stands: then the process decides, by the same numbers.
    const statuses = [];
    for (let n = 0; n < 6; n += 1) statuses.push((await post(`c${n}`)).status);
    expect(statuses.slice(0, 2)).toEqual([202, 202]);
    const last = await post('d');
    expect([last.status, last.text]).toEqual([429, expect.stringContaining('RATE_LIMITED')]);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(60);
    expect((await product.deliver.github('ping', {})).status).toBe(200);
  });

  test('a paused one is refused as 503 and never silent', async ({ onTestFinished }) => {
    const product = await start(onTestFinished, { paused: true, silence_after: '1ms' });
    const answer = await product.deliver.mail(mail('p'));
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '60']);
    expect(answer.text).toContain('SOURCE_PAUSED');
    expect(await stateOf(product, 'mail-hook')).toMatchObject({ last_accepted_at: null, silent: false });
  });

  test('silence shows, ends with a delivery, is kept over a restart, and never makes us not ready', async ({
    onTestFinished,
  }) => {
    const product = await start(onTestFinished, { silence_after: '1s' });
    await waitFor('it is silent', async () => (await stateOf(product, 'mail-hook'))?.silent);
    expect(await stateOf(product, 'github')).toMatchObject({ silent: false });
    expect((await product.request('GET', '/metrics')).text).toContain(
      'hcp_sense_source_silent{source="mail-hook"} 1',
    );
    expect((await product.deliver.mail(mail('s'))).status).toBe(202);
    const { last_accepted_at: before } = (await stateOf(product, 'mail-hook')) ?? {};
    expect(before).toMatch(/^20/);
    // Stopped in good order it keeps what it saw last.
    await product.the('ingress').kill('SIGTERM');
    await product.start('ingress');
    await waitFor(
      'it is remembered',
      async () => (await stateOf(product, 'mail-hook'))?.last_accepted_at === before,
    );
    await waitFor('it is silent again', async () => (await stateOf(product, 'mail-hook'))?.silent);
  });
});
