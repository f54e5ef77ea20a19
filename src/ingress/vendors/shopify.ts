import type { HmacScheme } from '../verify/scheme.ts';
import type { Sample, VendorProfile } from './profile.ts';

const shop = 'example.myshopify.com';

const webhook = (topic: string, body: Record<string, unknown>): Sample => ({
  headers: {
    'x-shopify-topic': topic,
    'x-shopify-shop-domain': shop,
    'x-shopify-api-version': '2026-10',
    'x-shopify-event-id': '00000000-0000-4000-8000-000000000003',
  },
  body,
});

const event = (topic: string, action: string): Sample => ({
  // Says which of the two families it is; the signature is put in its place.
  headers: {
    'shopify-hmac-sha256': 'to be signed',
    'shopify-topic': topic,
    'shopify-action': action,
    'shopify-shop-domain': shop,
  },
  body: { topic, action, handle: 'example', fields_changed: { added: [], updated: [], removed: [] } },
});

const signedIn = (header: string): HmacScheme => ({
  kind: 'hmac',
  algorithm: 'sha256',
  key: 'text',
  encoding: 'base64',
  signed: ['body'],
  signature: { header },
});

/**
 * Shopify webhooks and its newer Events, which have their own family of headers:
 * https://shopify.dev/docs/apps/build/webhooks/verify-deliveries and https://shopify.dev/docs/apps/build/events
 */
export const shopify: VendorProfile = {
  vendor: 'shopify',
  about: {
    name: 'Shopify webhooks and Events',
    docs: 'https://shopify.dev/docs/apps/build/webhooks/verify-deliveries',
    setUp: 'The URL as `uri` of the subscriptions in shopify.app.toml, or by the Admin API.',
    secret: 'The client secret of the app; the old one beside it for the hour after it is changed.',
    answerSeconds: 5,
    notes: [
      'Only the body is signed: shop, topic and ids stand in headers beside it.',
      'Webhooks made in a shop’s own settings are signed with another secret than the app’s: a source of their own.',
      'After 8 failures one after another a subscription made by the API is deleted.',
      'The privacy topics (`customers/data_request`, `customers/redact`, `shop/redact`) map to nothing: have `refs` map them where the app must act.',
      'A late `app/uninstalled` may be older than a new installation: compare its time.',
      'Deliveries through Pub/Sub or EventBridge are not signed by Shopify: `google-pubsub` takes the former.',
    ],
    unconfirmed: [
      'Names of Events beyond `Product.*`.',
      '`app/scopes_update` is taken as fewer scopes, though it also tells of more.',
    ],
  },
  proof: {
    kind: 'choose',
    // As in Shopify's own library; a delivery of the newer family is never made good by the older header.
    of: [
      {
        when: [{ at: { header: 'shopify-hmac-sha256' } }],
        proof: signedIn('shopify-hmac-sha256'),
      },
      { when: [], proof: signedIn('x-shopify-hmac-sha256') },
    ],
  },
  takes: ['json'],
  handshakes: [],
  deliveryId: [{ header: 'shopify-webhook-id' }, { header: 'x-shopify-webhook-id' }],
  // Not the event's id: several topics tell of one event.
  eventId: [{ header: 'shopify-webhook-id' }, { header: 'x-shopify-webhook-id' }],
  event: [
    {
      when: { at: { header: 'shopify-hmac-sha256' } },
      // In the body, which is signed.
      parts: [{ json: ['topic'] }, { json: ['action'] }],
    },
    { parts: [{ header: 'x-shopify-topic' }], detail: [{ header: 'x-shopify-sub-topic' }] },
  ],
  occurredAt: [
    { header: 'shopify-triggered-at' },
    { header: 'x-shopify-triggered-at' },
    { json: ['updated_at'] },
  ],
  accounts: [{ key: 'shop', from: [{ header: 'shopify-shop-domain' }, { header: 'x-shopify-shop-domain' }] }],
  refs: {
    'orders/create': 'new_item',
    'orders/updated': 'item.updated',
    'orders/edited': 'item.updated',
    'orders/cancelled': 'item.updated',
    'orders/fulfilled': 'item.updated',
    'orders/delete': 'item.deleted',
    'orders/paid': 'payment.succeeded',
    'order_transactions/create': 'item.updated',
    'draft_orders/create': 'new_item',
    'draft_orders/update': 'item.updated',
    'draft_orders/delete': 'item.deleted',
    'products/create': 'new_item',
    'products/update': 'item.updated',
    'products/delete': 'item.deleted',
    'customers/create': 'new_item',
    'customers/update': 'item.updated',
    'customers/delete': 'item.deleted',
    'collections/create': 'new_item',
    'collections/update': 'item.updated',
    'collections/delete': 'item.deleted',
    'Product.create': 'new_item',
    'Product.update': 'item.updated',
    'Product.delete': 'item.deleted',
    'Order.create': 'new_item',
    'Order.update': 'item.updated',
    'Order.delete': 'item.deleted',
    'Customer.create': 'new_item',
    'Customer.update': 'item.updated',
    'Customer.delete': 'item.deleted',
    'Collection.create': 'new_item',
    'Collection.update': 'item.updated',
    'Collection.delete': 'item.deleted',
    'app/uninstalled': 'binding.degraded',
    'app/scopes_update': 'binding.degraded',
  },
  states: { 'app/uninstalled': 'revoked', 'app/scopes_update': 'scope_reduced' },
  answer: null,
  samples: {
    'orders/create': webhook('orders/create', { id: 1001, name: '#1001', note: 'No onions' }),
    'orders/paid': webhook('orders/paid', { id: 1001, name: '#1001', financial_status: 'paid' }),
    'products/update': webhook('products/update', { id: 11, title: 'Example shirt' }),
    'app/uninstalled': webhook('app/uninstalled', { id: 7, myshopify_domain: shop }),
    'Product.update': event('Product', 'update'),
  },
};
