import type { Sample, VendorProfile } from './profile.ts';

const sample = (type: string, action: string, data: Record<string, unknown>): Sample => ({
  headers: { 'linear-event': type },
  body: {
    action,
    type,
    createdAt: '2026-01-01T00:00:00.000Z',
    data: { id: '00000000-0000-4000-8000-000000000001', ...data },
    organizationId: '00000000-0000-4000-8000-000000000002',
    webhookTimestamp: 1_767_225_600_000,
    webhookId: '00000000-0000-4000-8000-000000000003',
  },
});

/**
 * Linear webhooks: https://linear.app/developers/webhooks. Its time of signing stands in the body, in milliseconds, and is
 * good for a minute; the header Linear-Timestamp is not signed and not looked at.
 */
export const linear: VendorProfile = {
  vendor: 'linear',
  about: {
    name: 'Linear webhooks',
    docs: 'https://linear.app/developers/webhooks',
    setUp: 'A webhook of the workspace or of an OAuth application, with the resource types that you map.',
    secret: 'The signing secret of the webhook (`lin_wh_…`, all of it).',
    answerSeconds: 5,
    switchesOff: {
      on: ['4xx', '5xx'],
      how: 'Linear may disable a webhook that keeps failing.',
    },
    notes: ['Retried after a minute, an hour and six hours; a hook that keeps failing may be switched off.'],
    unconfirmed: [
      'That a retry bears a new `webhookTimestamp`; if not, retries are refused as too old.',
      'The names of `PermissionChange` events.',
    ],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    key: 'text',
    encoding: 'hex',
    signed: ['body'],
    signature: { header: 'linear-signature' },
    timestamp: { json: ['webhookTimestamp'], unit: 'ms', window: 60 },
  },
  takes: ['json'],
  handshakes: [],
  deliveryId: [{ header: 'linear-delivery' }],
  eventId: [{ header: 'linear-delivery' }],
  event: [{ parts: [{ json: ['type'] }, { json: ['action'] }] }],
  occurredAt: [{ json: ['createdAt'] }],
  accounts: [
    { key: 'organization', from: [{ json: ['organizationId'] }] },
    { key: 'webhook', from: [{ json: ['webhookId'] }] },
  ],
  refs: {
    'Issue.create': 'new_item',
    'Issue.update': 'item.updated',
    'Issue.remove': 'item.deleted',
    'Comment.create': 'comment.created',
    'Project.create': 'new_item',
    'Project.update': 'item.updated',
    'Project.remove': 'item.deleted',
    'ProjectUpdate.create': 'comment.created',
    'Document.create': 'new_item',
    'Document.update': 'item.updated',
    'Document.remove': 'item.deleted',
    'Initiative.create': 'new_item',
    'Initiative.update': 'item.updated',
    'Initiative.remove': 'item.deleted',
    'Customer.create': 'new_item',
    'Customer.update': 'item.updated',
    'Customer.remove': 'item.deleted',
    'OAuthApp.revoked': 'binding.degraded',
    'PermissionChange.*': 'binding.degraded',
  },
  states: { 'OAuthApp.revoked': 'revoked', 'PermissionChange.*': 'scope_reduced' },
  // Only a 200 is an acknowledgement.
  answer: { status: 200, body: '' },
  samples: {
    'Issue.create': sample('Issue', 'create', { title: 'The build fails on Mondays' }),
    'Issue.update': sample('Issue', 'update', { title: 'The build fails' }),
    'Issue.remove': sample('Issue', 'remove', {}),
    'Comment.create': sample('Comment', 'create', { body: 'It is the cache.' }),
    'OAuthApp.revoked': sample('OAuthApp', 'revoked', {}),
  },
};
