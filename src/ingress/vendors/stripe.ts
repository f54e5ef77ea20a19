import type { Sample, VendorProfile } from './profile.ts';

const event = (
  type: string,
  object: Record<string, unknown>,
  more: Record<string, unknown> = {},
): Sample => ({
  headers: { 'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)' },
  body: {
    id: 'evt_example',
    object: 'event',
    type,
    created: 1_750_000_000,
    livemode: false,
    ...more,
    data: { object },
  },
});

/**
 * Stripe snapshot and thin events: https://docs.stripe.com/webhooks/signature. The window is judged on both sides;
 * Stripe's own SDK lets a future time pass.
 */
export const stripe: VendorProfile = {
  vendor: 'stripe',
  about: {
    name: 'Stripe snapshot and thin events',
    docs: 'https://docs.stripe.com/webhooks/signature',
    setUp: 'An endpoint with the events that you map; for accounts of others, of Connect.',
    secret: 'The whole `whsec_…` text of the endpoint.',
    answerSeconds: null,
    switchesOff: {
      on: ['4xx', '5xx'],
      how: 'Stripe disables an endpoint after days of failures.',
    },
    unconfirmed: [
      'How long both secrets sign after a roll (24 hours), and for how long is retried (3 days).',
    ],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    // All of `whsec_…` is the key here; only Standard Webhooks decodes what follows it.
    key: 'text',
    encoding: 'hex',
    signed: ['timestamp', { literal: '.' }, 'body'],
    signature: { header: 'stripe-signature', separator: ',', prefix: 'v1=' },
    timestamp: { item: 't=' },
  },
  takes: ['json'],
  handshakes: [],
  deliveryId: [{ json: ['id'] }],
  eventId: [{ json: ['id'] }],
  event: [
    {
      parts: [{ json: ['type'] }],
      detail: [
        { json: ['data', 'object', 'status'] },
        { json: ['data', 'object', 'requirements', 'disabled_reason'] },
      ],
    },
  ],
  occurredAt: [{ json: ['created'] }],
  // Connect events name `account`, those of an organization `context`; all else is about the account itself.
  accounts: [{ key: 'account', from: [{ json: ['account'] }, { json: ['context'] }, { literal: 'self' }] }],
  refs: {
    'invoice.paid': 'payment.succeeded',
    'checkout.session.completed': 'payment.succeeded',
    'payment_intent.succeeded': 'payment.succeeded',
    'invoice.payment_failed': 'payment.failed',
    'payment_intent.payment_failed': 'payment.failed',
    'checkout.session.async_payment_failed': 'payment.failed',
    'customer.created': 'new_item',
    'customer.updated': 'item.updated',
    'customer.deleted': 'item.deleted',
    'account.application.deauthorized': 'binding.degraded',
    'account.updated': 'item.updated',
    // With a disabled reason, which then ends the event's name.
    'account.updated.*': 'binding.degraded',
    'capability.updated.inactive': 'binding.degraded',
    'capability.updated.active': 'binding.restored',
  },
  states: {
    'account.application.deauthorized': 'revoked',
    'account.updated.*': 'suspended',
    'capability.updated.inactive': 'suspended',
    'capability.updated.active': 'active',
  },
  answer: null,
  samples: {
    'invoice.paid': event('invoice.paid', {
      id: 'in_example',
      object: 'invoice',
      amount_paid: 4200,
      currency: 'eur',
    }),
    'payment_intent.payment_failed': event('payment_intent.payment_failed', {
      id: 'pi_example',
      object: 'payment_intent',
      status: 'requires_payment_method',
    }),
    'customer.created': event('customer.created', {
      id: 'cus_example',
      object: 'customer',
      email: 'customer@example.com',
    }),
    'customer.updated': event('customer.updated', {
      id: 'cus_example',
      object: 'customer',
      email: 'new@example.com',
    }),
    'account.application.deauthorized': event(
      'account.application.deauthorized',
      { id: 'ca_example', object: 'application' },
      { account: 'acct_example' },
    ),
  },
};
