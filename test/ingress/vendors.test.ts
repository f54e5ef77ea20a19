import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { sign as octokitSign } from '@octokit/webhooks-methods';
import Stripe from 'stripe';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Ingress, startIngress } from './start-ingress.ts';

// Its types describe another module shape than the JSON file that it is.
const examples: readonly { name: string; examples: readonly object[] }[] = createRequire(import.meta.url)(
  '@octokit/webhooks-examples',
);

const secret = "It's a Secret to Everybody";

let ingress: Ingress;
beforeAll(async () => {
  ingress = await startIngress([
    {
      settings: { id: 'github', type: 'vendor', vendor: 'github', pack: 'issues' },
      secrets: ['current', secret],
    },
    {
      settings: {
        id: 'mapped',
        type: 'vendor',
        vendor: 'github',
        pack: 'issues',
        refs: { 'issues.opened': 'new_item', 'issues.*': 'item.updated', 'meta.*': 'binding.degraded' },
        binding: 'bnd_1',
      },
      secrets: [secret],
    },
    { settings: { id: 'slack', type: 'vendor', vendor: 'slack', pack: 'chat' }, secrets: [secret] },
    {
      settings: { id: 'stripe', type: 'vendor', vendor: 'stripe', pack: 'pay' },
      secrets: ['whsec_current', 'whsec_old'],
    },
  ]);
});
beforeEach(() => {
  ingress.enqueued.length = 0;
  ingress.facts.length = 0;
});
afterAll(() => ingress.close());

const only = () => {
  expect(ingress.enqueued).toHaveLength(1);
  const [announcement] = ingress.enqueued;
  if (announcement === undefined) throw new Error('nothing was enqueued');
  return announcement;
};

const github = async (
  event: string,
  body: unknown,
  options: { source?: string; id?: string; headers?: Record<string, string> } = {},
) => {
  const raw = typeof body === 'string' ? body : JSON.stringify(body);
  return ingress.post(
    options.source ?? 'github',
    {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': options.id ?? 'd-1',
      'x-github-hook-id': '501',
      'x-hub-signature-256': await octokitSign(secret, raw),
      ...options.headers,
    },
    raw,
  );
};

describe('S21: github', () => {
  test('every example payload of GitHub, signed by its library, is taken: mapped, or acknowledged as unmapped', async () => {
    let sent = 0;
    const unmapped = new Set<string>();
    for (const { name, examples: payloads } of examples) {
      for (const payload of payloads) {
        ingress.enqueued.length = 0;
        const raw = JSON.stringify(payload);
        const id = `d-${sent}`;
        const answer = await github(name, raw, { id });
        sent += 1;
        if (name === 'ping') {
          expect([answer.status, ingress.enqueued]).toEqual([200, []]);
          continue;
        }
        expect([answer.status, await answer.text()]).toEqual([202, '{"accepted":1}']);
        const got = only();
        const action = 'action' in payload ? `.${payload.action}` : '';
        expect(got).toMatchObject({ source: 'github', pack: 'issues', delivery: id, event: id });
        for (const [key, field] of [
          ['installation', 'installation'],
          ['repository', 'repository'],
          ['organization', 'organization'],
        ] as const) {
          const value: unknown = Reflect.get(Object(Reflect.get(payload, field)), 'id');
          expect(got.accounts.includes(`${key}:${value}`)).toBe(value !== undefined);
        }
        if (got.refusal === undefined) expect(got.data).toBe(raw);
        else {
          unmapped.add(`${name}${action}`);
          expect(got).toMatchObject({
            ref: `${name}${action}`,
            data: 'null',
            refusal: { reason: 'event_unmapped', rule: 'map-event' },
          });
        }
        if (got.ref.startsWith('binding.'))
          expect(got.state).toMatch(/^(revoked|suspended|active|scope_reduced|subscription_removed)$/);
      }
    }
    expect(sent).toBe(329);
    expect(unmapped).toContain('star.created');
    expect(unmapped).not.toContain('issues.opened');
    expect(ingress.facts.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(
      329 - ingress.facts.filter(({ status }) => status === 200).length,
    );
  });

  test.each([
    ['issues', { action: 'opened' }, 'new_item'],
    ['issues', { action: 'deleted' }, 'item.deleted'],
    ['issues', { action: 'never-seen' }, 'item.updated'],
    ['pull_request', { action: 'synchronize' }, 'item.updated'],
    ['push', { ref: 'refs/heads/main' }, 'item.updated'],
    ['issue_comment', { action: 'created' }, 'comment.created'],
    ['workflow_run', { action: 'completed', workflow_run: { conclusion: 'success' } }, 'run.completed'],
    ['workflow_run', { action: 'completed', workflow_run: { conclusion: 'failure' } }, 'run.failed'],
    ['check_suite', { action: 'completed', check_suite: { conclusion: null } }, 'run.completed'],
  ])('%s %j is %s', async (event, body, ref) => {
    await github(event, body);
    expect(only()).toMatchObject({ ref, state: null });
  });

  test.each([
    ['installation', 'deleted', 'binding.degraded', 'revoked'],
    ['installation', 'suspend', 'binding.degraded', 'suspended'],
    ['installation', 'unsuspend', 'binding.restored', 'active'],
    ['installation', 'new_permissions_accepted', 'binding.restored', 'active'],
    ['installation_repositories', 'removed', 'binding.degraded', 'scope_reduced'],
    ['github_app_authorization', 'revoked', 'binding.degraded', 'revoked'],
    ['meta', 'deleted', 'binding.degraded', 'subscription_removed'],
  ])('S23: %s.%s is %s, state %s', async (event, action, ref, state) => {
    await github(event, { action, installation: { id: 77 }, sender: { id: 5 } });
    expect(only()).toMatchObject({ ref, state });
    expect(only().accounts).toContain('installation:77');
    expect(only().accounts.includes('user:5')).toBe(event === 'github_app_authorization');
  });

  test('account keys: ids only, and none from a number that has lost digits or from what is no id', async () => {
    await github(
      'issues',
      '{"action":"opened","installation":{"id":77},"repository":{"id":3},"organization":{"id":9007199254740993},"enterprise":{"id":{"id":1}}}',
    );
    expect(only().accounts).toEqual(['installation:77', 'repository:3', 'hook:501']);
  });

  test('form encoding: the signature is over the form, the data is the JSON in it', async () => {
    const json = '{"action":"opened","issue":{"title":"café + 🚀 & \\u00e9"},"n":9007199254740993}';
    const form = `payload=${encodeURIComponent(json).replaceAll('%20', '+')}`;
    await github('issues', form, { headers: { 'content-type': 'application/x-www-form-urlencoded' } });
    expect(only()).toMatchObject({ ref: 'new_item', data: json });
    const answer = await ingress.post(
      'github',
      {
        'content-type': 'application/x-www-form-urlencoded',
        'x-github-event': 'issues',
        'x-hub-signature-256': await octokitSign(secret, json),
      },
      form,
    );
    expect(answer.status).toBe(401);
  });

  test('a source’s refs replace the profile’s own; the most exact name decides; its Binding is fixed', async () => {
    for (const [event, action, ref] of [
      ['issues', 'opened', 'new_item'],
      ['issues', 'deleted', 'item.updated'],
      ['push', '', null],
      ['meta', 'deleted', 'binding.degraded'],
      ['meta', 'other', 'binding.degraded'],
    ] as const) {
      ingress.enqueued.length = 0;
      await github(event, { action }, { source: 'mapped' });
      expect(only().binding).toBe('bnd_1');
      if (ref === null) expect(only().refusal?.reason).toBe('event_unmapped');
      else expect(only()).toMatchObject({ ref });
      if (ref === 'binding.degraded')
        expect(only().state).toBe(action === 'deleted' ? 'subscription_removed' : 'meta.other');
    }
  });

  test('S24: a ping is answered again and again, before the body is read, and leaves nothing', async () => {
    for (const body of ['{"zen":"x","hook_id":1}', '{"zen":"x"}', 'not json']) {
      const answer = await github('ping', body);
      expect([answer.status, await answer.text()]).toEqual([200, 'pong']);
    }
    expect(ingress.enqueued).toEqual([]);
    const forged = await github('ping', '{}', {
      headers: { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` },
    });
    expect(forged.status).toBe(401);
  });

  test('without delivery id the same bytes are one event, others another, and the time plays no part', async () => {
    for (const body of [
      '{"action":"opened","n":1}',
      '{"action":"opened","n":1}',
      '{"action":"opened","n":2}',
    ])
      await ingress.post(
        'github',
        { 'x-github-event': 'issues', 'x-hub-signature-256': await octokitSign(secret, body) },
        body,
      );
    const [first, again, other] = ingress.enqueued;
    expect(first?.eventHash).toBe(again?.eventHash);
    expect(first?.eventHash).not.toBe(other?.eventHash);
    expect(first?.event).toMatch(/^sha256:/);
    expect(first?.delivery).not.toBe(again?.delivery);
  });

  test('a delivery that names no event is acknowledged as unmapped', async () => {
    const body = '{"action":"opened"}';
    const answer = await ingress.post(
      'github',
      { 'x-hub-signature-256': await octokitSign(secret, body) },
      body,
    );
    expect(answer.status).toBe(202);
    expect(only()).toMatchObject({ data: 'null', refusal: { detail: 'The github delivery names no event' } });
  });
});

const slack = (body: string | object, options: { form?: boolean; at?: number; key?: string } = {}) => {
  const raw = typeof body === 'string' ? body : JSON.stringify(body);
  const at = String(options.at ?? Math.floor(Date.now() / 1000));
  return ingress.post(
    'slack',
    {
      'content-type': options.form ? 'application/x-www-form-urlencoded' : 'application/json',
      'x-slack-request-timestamp': at,
      'x-slack-signature': `v0=${createHmac('sha256', options.key ?? secret)
        .update(`v0:${at}:${raw}`)
        .digest('hex')}`,
    },
    raw,
  );
};

const slackEvent = (event: object, more: object = {}) => ({
  token: 'x',
  team_id: 'T1',
  type: 'event_callback',
  event_id: 'Ev1',
  event_time: 1_750_000_000,
  event,
  ...more,
});

describe('S21: slack', () => {
  test('url_verification is answered with the challenge as plain text, only where it is signed, and leaves nothing', async () => {
    for (const challenge of ['3eZbrw1aB', '<script>alert(1)</script>']) {
      const answer = await slack({ type: 'url_verification', token: 'x', challenge });
      expect([answer.status, await answer.text()]).toEqual([200, challenge]);
      expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    }
    expect((await slack({ type: 'url_verification', challenge: 'x' }, { key: 'other' })).status).toBe(401);
    expect(ingress.enqueued).toEqual([]);
  });

  test('an event is answered 200 with no body, and read', async () => {
    const body = JSON.stringify(slackEvent({ type: 'message', text: 'é', event_ts: '1750000001.000200' }));
    const answer = await slack(body);
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect(only()).toMatchObject({
      ref: 'message.received',
      delivery: 'Ev1',
      event: 'Ev1',
      accounts: ['team:T1'],
      occurredAt: '2025-06-15T15:06:41.000Z',
      data: body,
    });
  });

  test.each([
    [{ type: 'message' }, 'message.received', null],
    [{ type: 'message', subtype: 'message_changed' }, 'message.updated', null],
    [{ type: 'message', subtype: 'message_deleted' }, 'message.deleted', null],
    [{ type: 'reaction_added' }, 'item.updated', null],
    [{ type: 'file_shared' }, 'file.created', null],
    [{ type: 'tokens_revoked', tokens: { oauth: ['U1'] } }, 'binding.degraded', 'revoked'],
    [{ type: 'app_uninstalled' }, 'binding.degraded', 'revoked'],
  ])('S23: %j is %s', async (event, ref, state) => {
    await slack(slackEvent(event));
    expect(only()).toMatchObject({ ref, state });
  });

  test('app_rate_limited says that deliveries were missed; a bot’s own message is unmapped', async () => {
    await slack({ type: 'app_rate_limited', team_id: 'T1', minute_rate_limited: 1 });
    expect(only()).toMatchObject({
      ref: 'binding.degraded',
      state: 'deliveries_missed',
      accounts: ['team:T1'],
    });
    ingress.enqueued.length = 0;
    await slack(slackEvent({ type: 'message', subtype: 'bot_message' }));
    expect(only()).toMatchObject({ ref: 'message.bot_message', data: 'null' });
  });

  test('in a shared channel the installation that was told is the account, not the other workspace', async () => {
    await slack(
      slackEvent(
        { type: 'message' },
        { team_id: 'T2', authorizations: [{ team_id: 'T1', enterprise_id: 'E1' }] },
      ),
    );
    expect(only().accounts).toEqual(['team:T1', 'enterprise:E1']);
  });

  test('interactivity and commands: forms are verified as sent, and mapped or unmapped', async () => {
    const payload = '{"type":"block_actions","team":{"id":"T1"},"actions":[{"action_id":"go"}]}';
    expect((await slack(`payload=${encodeURIComponent(payload)}`, { form: true })).status).toBe(200);
    expect(only()).toMatchObject({
      ref: 'block_actions',
      accounts: ['team:T1'],
      refusal: { reason: 'event_unmapped' },
    });
    ingress.enqueued.length = 0;
    const command = await slack('team_id=T1&command=%2Fweather&text=a+b', { form: true });
    expect([command.status, await command.text()]).toEqual([200, '']);
    expect(only()).toMatchObject({ ref: 'slash_command', accounts: ['team:T1'] });
    expect((await slack('ssl_check=1&token=x', { form: true })).status).toBe(200);
    expect(ingress.enqueued).toHaveLength(1);
  });

  test('the window holds on both sides', async () => {
    for (const away of [-310, 310])
      expect(
        (await slack(slackEvent({ type: 'message' }), { at: Math.floor(Date.now() / 1000) + away })).status,
      ).toBe(401);
    expect(ingress.facts.map(({ code }) => code)).toEqual([
      'TIMESTAMP_OUTSIDE_WINDOW',
      'TIMESTAMP_OUTSIDE_WINDOW',
    ]);
  });
});

const stripe = (body: object | string, key = 'whsec_current') => {
  const payload = typeof body === 'string' ? body : JSON.stringify(body, null, 2);
  const header = Stripe.webhooks.generateTestHeaderString({ payload, secret: key });
  return ingress.post(
    'stripe',
    { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': header },
    payload,
  );
};

describe('S21: stripe', () => {
  test('signed by its SDK with either secret; the pretty-printed body arrives as sent', async () => {
    const event = {
      id: 'evt_1',
      object: 'event',
      type: 'invoice.paid',
      created: 1_750_000_000,
      account: 'acct_1',
      data: { object: { amount: 1 } },
    };
    expect((await stripe(event)).status).toBe(202);
    expect((await stripe(event, 'whsec_old')).status).toBe(202);
    expect((await stripe(event, 'whsec_other')).status).toBe(401);
    expect(ingress.enqueued).toHaveLength(2);
    expect(ingress.enqueued[0]).toMatchObject({
      ref: 'payment.succeeded',
      delivery: 'evt_1',
      event: 'evt_1',
      accounts: ['account:acct_1'],
      occurredAt: '2025-06-15T15:06:40.000Z',
      data: JSON.stringify(event, null, 2),
    });
  });

  test.each([
    [{ type: 'customer.created' }, 'new_item', null],
    [
      { type: 'payment_intent.payment_failed', data: { object: { status: 'requires_payment_method' } } },
      'payment.failed',
      null,
    ],
    [{ type: 'account.application.deauthorized' }, 'binding.degraded', 'revoked'],
    [
      { type: 'account.updated', data: { object: { requirements: { disabled_reason: null } } } },
      'item.updated',
      null,
    ],
    [
      { type: 'account.updated', data: { object: { requirements: { disabled_reason: 'rejected.fraud' } } } },
      'binding.degraded',
      'suspended',
    ],
    [
      {
        type: 'capability.updated',
        data: { object: { status: 'inactive', requirements: { disabled_reason: 'x' } } },
      },
      'binding.degraded',
      'suspended',
    ],
    [{ type: 'capability.updated', data: { object: { status: 'active' } } }, 'binding.restored', 'active'],
  ])('S23: %j is %s', async (event, ref, state) => {
    await stripe({ id: 'evt_1', ...event });
    expect(only()).toMatchObject({ ref, state });
  });

  test('accounts: Connect’s account, an organization’s context, else the account itself; a guess is never made', async () => {
    for (const [more, accounts] of [
      [{ account: 'acct_1', context: 'acct_2' }, ['account:acct_1']],
      [{ context: 'acct_2' }, ['account:acct_2']],
      [{ account: null }, ['account:self']],
      [{ account: { id: 'acct_1' } }, []],
    ] as const) {
      ingress.enqueued.length = 0;
      await stripe({ id: 'evt_1', type: 'invoice.paid', ...more });
      expect(only().accounts).toEqual(accounts);
    }
  });

  test('a thin event and one that no mapping names are acknowledged', async () => {
    await stripe({
      id: 'evt_2',
      object: 'v2.core.event',
      type: 'v1.billing.meter.error_report_triggered',
      created: '2025-06-15T15:06:40.000Z',
    });
    expect(only()).toMatchObject({
      event: 'evt_2',
      occurredAt: '2025-06-15T15:06:40.000Z',
      data: 'null',
      refusal: { reason: 'event_unmapped' },
    });
  });
});
