import type { Sample, VendorProfile } from './profile.ts';

const sample = (type: string, data: Record<string, unknown>): Sample => ({
  body: {
    merchant_id: 'ML0EXAMPLE',
    location_id: 'L0EXAMPLE',
    type,
    event_id: '00000000-0000-4000-8000-000000000001',
    created_at: '2026-01-01T00:00:00.000Z',
    data,
  },
});

const payment = (status: string) => ({
  type: 'payment',
  id: 'pay_example',
  object: { payment: { id: 'pay_example', status, amount_money: { amount: 4200, currency: 'EUR' } } },
});

/** Square webhooks: https://developer.squareup.com/docs/webhooks/step3validate. The URL is signed before the body. */
export const square: VendorProfile = {
  vendor: 'square',
  about: {
    name: 'Square webhooks',
    docs: 'https://developer.squareup.com/docs/webhooks/step3validate',
    setUp: 'A webhook subscription with the URL exactly as `http.public_url` has it.',
    secret: 'The signature key of the subscription. Two subscriptions to one URL have two keys: list both.',
    answerSeconds: 10,
    notes: [
      'Square sends no event that the access token has no permission for, and does not say so.',
      'A payment that was completed may be updated again, which is another `payment.succeeded`.',
      'No time is signed; a repeated event is the same event by its `event_id`.',
    ],
    unconfirmed: [
      'For how long is retried: one page of Square says 24 hours, another 72; one gives 10 s for the answer.',
    ],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    key: 'text',
    encoding: 'base64',
    signed: [{ url: 'registered' }, 'body'],
    signature: { header: 'x-square-hmacsha256-signature' },
  },
  takes: ['json'],
  handshakes: [],
  deliveryId: [{ json: ['event_id'] }],
  eventId: [{ json: ['event_id'] }],
  event: [
    {
      parts: [{ json: ['type'] }],
      detail: [
        { json: ['data', 'object', 'payment', 'status'] },
        { json: ['data', 'object', 'refund', 'status'] },
      ],
    },
  ],
  occurredAt: [{ json: ['created_at'] }],
  accounts: [
    { key: 'merchant', from: [{ json: ['merchant_id'] }] },
    { key: 'location', from: [{ json: ['location_id'] }] },
  ],
  refs: {
    'payment.created': 'new_item',
    'payment.updated': 'item.updated',
    'payment.updated.COMPLETED': 'payment.succeeded',
    'payment.updated.FAILED': 'payment.failed',
    'payment.updated.CANCELED': 'payment.failed',
    'invoice.payment_made': 'payment.succeeded',
    'invoice.scheduled_charge_failed': 'payment.failed',
    'invoice.created': 'new_item',
    'invoice.updated': 'item.updated',
    'invoice.deleted': 'item.deleted',
    'order.created': 'new_item',
    'order.updated': 'item.updated',
    'customer.created': 'new_item',
    'customer.updated': 'item.updated',
    'customer.deleted': 'item.deleted',
    'booking.created': 'booking.created',
    'booking.updated': 'item.updated',
    'oauth.authorization.revoked': 'binding.degraded',
  },
  states: { 'oauth.authorization.revoked': 'revoked' },
  answer: { status: 200, body: '' },
  samples: {
    'customer.created': sample('customer.created', {
      type: 'customer',
      id: 'cus_example',
      object: { customer: { id: 'cus_example', email_address: 'customer@example.com' } },
    }),
    'payment.updated.COMPLETED': sample('payment.updated', payment('COMPLETED')),
    'payment.updated.FAILED': sample('payment.updated', payment('FAILED')),
    'oauth.authorization.revoked': sample('oauth.authorization.revoked', {
      type: 'revocation',
      id: 'rev_example',
      object: { revocation: { revoked_at: '2026-01-01T00:00:00Z', revoker_type: 'MERCHANT' } },
    }),
  },
};
