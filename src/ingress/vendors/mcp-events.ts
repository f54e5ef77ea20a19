import { standardWebhooks } from '../verify/standard-webhooks.ts';
import type { Sample, VendorProfile } from './profile.ts';

const sample = (body: Record<string, unknown>): Sample => ({
  headers: { 'x-mcp-subscription-id': 'sub_example' },
  body,
});

/**
 * Events of an MCP server, delivered by webhook: https://modelcontextprotocol.io/seps/3415-events-extension. Who
 * subscribes (`events/subscribe`), renews and keeps the cursor is the client; this is the URL that it names as `delivery`.
 */
export const mcpEvents: VendorProfile = {
  vendor: 'mcp-events',
  about: {
    name: 'MCP Events (SEP-3415), webhook delivery',
    docs: 'https://modelcontextprotocol.io/extensions/events/overview',
    setUp:
      'In `events/subscribe`: `delivery` with `mode: webhook`, this `url` (https) and a `secret` that you make up (`whsec_` and 24 to 64 random bytes in base64). The account of the Binding is the subscription id of the answer.',
    secret: 'What `delivery.secret` was; the new one first while you change over.',
    answerSeconds: null,
    notes: [
      'One source for each MCP server: every secret of a source is good for all its subscriptions, and the header that names the subscription is not signed. `params.subscriptions` bounds which ones it takes.',
      '`data` is the whole delivery, because the client needs `cursor` when it subscribes again.',
      'A subscription ends unless the client renews it before `refreshBefore`; that end is silent.',
      'A delivery that comes before its Binding is there is dropped as `binding_unknown`: make the Binding at once, or use a fixed `binding`.',
      '`webhook-id` tells deliveries apart, `eventId` with the subscription tells events apart, because revisions of the SEP differ on whether the two are one.',
    ],
    unconfirmed: [
      'The bodies of type `gap` and `terminated`, read in the working group’s design sketch; the text of the Final SEP may name more.',
      'That `verification` is signed like any delivery (the design sketch says so).',
      'How long a server waits for its answer.',
    ],
  },
  proof: {
    kind: 'allOf',
    of: [
      standardWebhooks,
      { kind: 'token', at: { header: 'x-mcp-subscription-id' }, param: 'subscriptions' },
    ],
  },
  params: {
    subscriptions: {
      needed: 'never',
      means: 'subscription ids that are taken, separated by blanks',
    },
  },
  takes: ['json'],
  handshakes: [
    {
      when: [{ at: { json: ['type'] }, is: 'verification' }, { at: { json: ['challenge'] } }],
      answer: { status: 200, body: { object: { challenge: { json: ['challenge'] } } } },
    },
  ],
  deliveryId: [{ header: 'webhook-id' }],
  eventId: [
    { all: [{ json: ['eventId'] }, { header: 'x-mcp-subscription-id' }] },
    // Never reached; `send` fills it.
    { json: ['eventId'] },
    { header: 'webhook-id' },
  ],
  // A body with `type` is about the subscription, one without is an event: no event of a server is named with a dollar.
  event: [
    { when: { at: { json: ['type'] } }, parts: [{ literal: '$subscription' }, { json: ['type'] }] },
    { parts: [{ json: ['name'] }] },
  ],
  occurredAt: [{ json: ['timestamp'] }],
  accounts: [{ key: 'subscription', from: [{ header: 'x-mcp-subscription-id' }] }],
  refs: {
    '$subscription.terminated': 'binding.degraded',
    '$subscription.gap': 'binding.degraded',
  },
  states: {
    '$subscription.terminated': 'subscription_removed',
    '$subscription.gap': 'deliveries_missed',
  },
  answer: null,
  samples: {
    'incident.created': sample({
      eventId: 'evt_example',
      name: 'incident.created',
      timestamp: '2026-02-19T16:00:00Z',
      data: { incidentId: 'INC-1234', severity: 'P1' },
      cursor: 'cursor_example',
    }),
    '$subscription.terminated': sample({
      type: 'terminated',
      error: { code: -32012, message: 'Forbidden' },
    }),
  },
};
