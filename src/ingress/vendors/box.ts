import type { Sample, VendorProfile } from './profile.ts';

const headers = { 'box-signature-version': '1', 'box-signature-algorithm': 'HmacSHA256' };

const sample = (trigger: string, source: Record<string, unknown>): Sample => ({
  headers,
  body: {
    type: 'webhook_event',
    id: '00000000-0000-4000-8000-000000000001',
    created_at: '2026-01-01T00:00:00+00:00',
    trigger,
    webhook: { id: '53', type: 'webhook' },
    created_by: { type: 'user', id: '226067247', name: 'Ada', login: 'ada@example.com' },
    source,
    additional_info: [],
  },
});

const file = { id: '73835521473', type: 'file', name: 'menu.pdf', size: '4242' };

/**
 * Box webhooks, version 2: https://developer.box.com/guides/webhooks/v2/signatures-v2/. Each of two keys signs into a
 * header of its own, and one may be changed while the other holds.
 */
export const box: VendorProfile = {
  vendor: 'box',
  about: {
    name: 'Box webhooks (version 2)',
    docs: 'https://developer.box.com/guides/webhooks/v2/signatures-v2/',
    setUp: 'The URL as address of a V2 webhook, with primary and secondary signature keys for the app.',
    secret: 'The primary and the secondary signature key; one suffices.',
    answerSeconds: 30,
    notes: [
      'Change one key at a time: Box signs with both.',
      'The signing time may be 600 s from our clock, as Box advises; the SDK of Box takes none of the future.',
      'Without signature keys at Box nothing is signed, and all is refused.',
    ],
    unconfirmed: [
      'How often is retried (12 times); each attempt is sent, and so signed, anew.',
      'When a webhook is removed without `WEBHOOK.DELETED` (the token of the app or its access to the item ends).',
    ],
  },
  proof: {
    kind: 'choose',
    of: [
      {
        when: [
          { at: { header: 'box-signature-version' }, is: '1' },
          { at: { header: 'box-signature-algorithm' }, is: 'HmacSHA256' },
        ],
        proof: {
          kind: 'hmac',
          algorithm: 'sha256',
          key: 'text',
          encoding: 'base64',
          signed: ['body', 'timestamp'],
          signature: {
            headers: /^box-signature-(?:primary|secondary)$/,
            first: 'box-signature-primary',
          },
          timestamp: { header: 'box-delivery-timestamp', unit: 'iso', window: 600 },
          bodyForms: ['escaped-slash'],
        },
      },
    ],
  },
  takes: ['json'],
  handshakes: [],
  deliveryId: [{ header: 'box-delivery-id' }],
  // The delivery's id changes with every retry; this one does not.
  eventId: [{ json: ['id'] }],
  event: [{ parts: [{ json: ['trigger'] }] }],
  occurredAt: [{ json: ['created_at'] }],
  accounts: [
    { key: 'webhook', from: [{ json: ['webhook', 'id'] }] },
    { key: 'user', from: [{ json: ['created_by', 'id'] }] },
  ],
  refs: {
    'FILE.UPLOADED': 'file.created',
    'FILE.COPIED': 'file.created',
    'FILE.RENAMED': 'file.updated',
    'FILE.MOVED': 'file.updated',
    'FILE.LOCKED': 'file.updated',
    'FILE.UNLOCKED': 'file.updated',
    'FILE.RESTORED': 'file.created',
    'FILE.DELETED': 'file.deleted',
    'FILE.TRASHED': 'file.deleted',
    'FOLDER.CREATED': 'new_item',
    'FOLDER.COPIED': 'new_item',
    'FOLDER.RESTORED': 'new_item',
    'FOLDER.RENAMED': 'item.updated',
    'FOLDER.MOVED': 'item.updated',
    'FOLDER.DELETED': 'item.deleted',
    'FOLDER.TRASHED': 'item.deleted',
    'COMMENT.CREATED': 'comment.created',
    'COMMENT.UPDATED': 'item.updated',
    'COMMENT.DELETED': 'item.deleted',
    'WEBHOOK.DELETED': 'binding.degraded',
  },
  states: { 'WEBHOOK.DELETED': 'subscription_removed' },
  answer: { status: 200, body: '' },
  samples: {
    'FILE.UPLOADED': sample('FILE.UPLOADED', file),
    'FILE.RENAMED': sample('FILE.RENAMED', file),
    'FILE.TRASHED': sample('FILE.TRASHED', file),
    'COMMENT.CREATED': sample('COMMENT.CREATED', {
      id: '1',
      type: 'comment',
      message: 'Lunch at noon?',
      item: file,
    }),
    'WEBHOOK.DELETED': sample('WEBHOOK.DELETED', file),
  },
};
