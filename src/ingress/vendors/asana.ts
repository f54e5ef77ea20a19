import type { Sample, VendorProfile } from './profile.ts';

const sample = (action: string, type: string): Sample => ({
  body: {
    events: [
      {
        action,
        created_at: '2026-01-01T00:00:00.000Z',
        user: { gid: '2', resource_type: 'user' },
        resource: { gid: '1', resource_type: type },
        parent: null,
      },
    ],
  },
});

/** Asana webhooks: https://developers.asana.com/docs/webhooks-guide. Each webhook has a key of its own, and so a source. */
export const asana: VendorProfile = {
  vendor: 'asana',
  about: {
    name: 'Asana webhooks',
    docs: 'https://developers.asana.com/docs/webhooks-guide',
    setUp:
      'Set `pending: true`, start, then create the webhook with the URL: Asana plants its key meanwhile. Take `pending` out again.',
    secret: "The webhook's X-Hook-Secret; left out where it was planted.",
    answerSeconds: 10,
    switchesOff: {
      on: ['4xx', '5xx'],
      how: 'Asana deletes a webhook that it could not deliver to for 24 hours.',
    },
    notes: [
      'One webhook for each source: their keys differ.',
      'An event names only what changed; an empty batch is a heartbeat.',
      'Nothing in an event says whose it is: give the source a `binding`.',
    ],
    unconfirmed: [
      'That a heartbeat comes about every 8 hours, that 24 hours of failures or a 410 delete the webhook.',
    ],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    // The text of the key, though it looks like hex.
    key: 'text',
    encoding: 'hex',
    signed: ['body'],
    signature: { header: 'x-hook-signature' },
  },
  takes: ['json', 'empty'],
  handshakes: [
    {
      unproven: true,
      when: [{ at: { header: 'x-hook-secret' } }],
      plants: { header: 'x-hook-secret' },
      answer: { status: 200, headers: { 'x-hook-secret': { header: 'x-hook-secret' } } },
    },
  ],
  split: [['events', '*']],
  deliveryId: [],
  eventId: [
    {
      all: [
        { json: ['resource', 'gid'] },
        { json: ['action'] },
        { json: ['created_at'] },
        { json: ['change', 'field'] },
        { json: ['parent', 'gid'] },
      ],
    },
  ],
  event: [
    {
      parts: [{ json: ['resource', 'resource_type'] }, { json: ['action'] }],
      detail: [{ json: ['resource', 'resource_subtype'] }],
    },
  ],
  occurredAt: [{ json: ['created_at'] }],
  accounts: [],
  refs: {
    'task.added': 'new_item',
    'task.changed': 'item.updated',
    'task.undeleted': 'item.updated',
    'task.deleted': 'item.deleted',
    'task.removed': 'item.deleted',
    'project.added': 'new_item',
    'project.changed': 'item.updated',
    'project.deleted': 'item.deleted',
    'project.removed': 'item.deleted',
    'story.added': 'item.updated',
    'story.added.comment_added': 'comment.created',
  },
  states: {},
  answer: { status: 200, body: '' },
  samples: {
    'task.added': sample('added', 'task'),
    'task.changed': sample('changed', 'task'),
    'task.deleted': sample('deleted', 'task'),
  },
};
