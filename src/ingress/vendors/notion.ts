import type { Sample, VendorProfile } from './profile.ts';

const sample = (type: string, entity: Record<string, unknown>): Sample => ({
  body: {
    id: '00000000-0000-4000-8000-000000000001',
    timestamp: '2026-01-01T00:00:00.000Z',
    workspace_id: '00000000-0000-4000-8000-0000000000a1',
    workspace_name: 'Example',
    subscription_id: '00000000-0000-4000-8000-0000000000b1',
    integration_id: '00000000-0000-4000-8000-0000000000c1',
    type,
    attempt_number: 1,
    entity,
    data: {},
  },
});

const page = { id: '00000000-0000-4000-8000-0000000000d1', type: 'page' };

/** Notion webhooks: https://developers.notion.com/reference/webhooks. Notion plants its key with one unsigned request. */
export const notion: VendorProfile = {
  vendor: 'notion',
  about: {
    name: 'Notion webhooks',
    docs: 'https://developers.notion.com/reference/webhooks',
    setUp:
      'Set `pending: true`, start, then create the subscription with the URL: Notion plants its verification token meanwhile. Paste that token back at Notion, and take `pending` out again.',
    secret: "The subscription's verification token; left out where it was planted.",
    answerSeconds: null,
    notes: [
      'Nothing proves the request that plants the token: whoever posts first while the source is `pending` plants theirs. Notion accepts only its own when you paste it, so one that Notion refuses is a stranger’s: delete the file and begin anew.',
      'The token looks like an API token (`secret_…`) and is none.',
      'An event has no content: read the page or comment that it names. Some are gathered for up to a minute.',
      'Nothing is sent when the connection is removed: watch for silence.',
      'No time is signed; a retry is the same event by its `id`.',
    ],
    unconfirmed: [
      'How often is retried (8 times within 24 hours), and how soon the answer is wanted.',
      'That a retry keeps the `id` and raises `attempt_number`.',
    ],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    key: 'text',
    encoding: 'hex',
    signed: ['body'],
    signature: { header: 'x-notion-signature', prefix: 'sha256=' },
  },
  takes: ['json'],
  handshakes: [
    {
      unproven: true,
      when: [
        { at: { json: ['verification_token'] } },
        { at: { json: ['type'] }, absent: true },
        { at: { header: 'x-notion-signature' }, absent: true },
      ],
      plants: { json: ['verification_token'] },
      answer: { status: 200 },
    },
  ],
  deliveryId: [],
  eventId: [{ json: ['id'] }],
  event: [{ parts: [{ json: ['type'] }] }],
  occurredAt: [{ json: ['timestamp'] }],
  accounts: [
    { key: 'workspace', from: [{ json: ['workspace_id'] }] },
    { key: 'integration', from: [{ json: ['integration_id'] }] },
    { key: 'subscription', from: [{ json: ['subscription_id'] }] },
  ],
  refs: {
    'page.created': 'new_item',
    'page.undeleted': 'item.updated',
    'page.deleted': 'item.deleted',
    'page.*': 'item.updated',
    'database.created': 'new_item',
    'database.deleted': 'item.deleted',
    'database.*': 'item.updated',
    'data_source.created': 'new_item',
    'data_source.deleted': 'item.deleted',
    'data_source.*': 'item.updated',
    'view.created': 'new_item',
    'view.deleted': 'item.deleted',
    'view.updated': 'item.updated',
    'comment.created': 'comment.created',
    'comment.updated': 'item.updated',
    'comment.deleted': 'item.deleted',
    'file_upload.completed': 'file.created',
  },
  states: {},
  answer: { status: 200, body: '' },
  samples: {
    'page.created': sample('page.created', page),
    'page.content_updated': sample('page.content_updated', page),
    'page.deleted': sample('page.deleted', page),
    'comment.created': sample('comment.created', {
      id: '00000000-0000-4000-8000-0000000000e1',
      type: 'comment',
    }),
  },
};
