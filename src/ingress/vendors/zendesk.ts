import type { Sample, VendorProfile } from './profile.ts';

const sample = (name: string, subject: string, detail: Record<string, unknown>): Sample => ({
  headers: {
    'x-zendesk-account-id': '12345',
    'x-zendesk-webhook-id': '01EXAMPLEWEBHOOK',
  },
  body: {
    type: `zen:event-type:${name}`,
    account_id: 12_345,
    id: 'evt_example',
    time: '2026-01-01T00:00:00Z',
    zendesk_event_version: '2022-06-20',
    subject,
    event: {},
    detail,
  },
});

/**
 * Zendesk webhooks: https://developer.zendesk.com/documentation/webhooks/verifying/. Those that subscribe to events have a
 * fixed body; those of triggers and automations one that an administrator typed.
 */
export const zendesk: VendorProfile = {
  vendor: 'zendesk',
  about: {
    name: 'Zendesk webhooks',
    docs: 'https://developer.zendesk.com/documentation/webhooks/verifying/',
    setUp: 'A webhook that subscribes to events, or a trigger with method POST and JSON.',
    secret: 'The signing secret of the webhook, as it is: it looks like base64 and is not decoded.',
    answerSeconds: 10,
    switchesOff: {
      on: ['4xx', '5xx'],
      how: 'A high rate of errors pauses the webhook.',
    },
    notes: [
      'The test before a webhook is first saved is signed with a secret that is the same for everybody, and refused.',
      'The body of a trigger is what its administrator typed: it is named by its `type`, else `trigger`, and told apart by its invocation.',
      'Where most requests of five minutes fail, Zendesk pauses the webhook for a moment.',
    ],
    unconfirmed: [
      'That Zendesk has no time window of its own, and signs every attempt anew.',
      'That retries of an invocation repeat its id; on which codes is retried (409, 429 and 503 with Retry-After, timeouts).',
      'The names of the events for deleted tickets.',
    ],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    key: 'text',
    encoding: 'base64',
    signed: ['timestamp', 'body'],
    signature: { header: 'x-zendesk-webhook-signature' },
    timestamp: { header: 'x-zendesk-webhook-signature-timestamp', unit: 'iso' },
  },
  takes: ['json', 'form'],
  handshakes: [],
  deliveryId: [{ header: 'x-zendesk-webhook-invocation-id' }],
  eventId: [
    // Only an event's own body has a version; an `id` that an administrator typed is most likely a ticket's.
    { all: [{ json: ['zendesk_event_version'] }, { json: ['id'] }] },
    { header: 'x-zendesk-webhook-invocation-id' },
  ],
  event: [
    { parts: [{ json: ['type'] }] },
    { when: { at: { header: 'x-zendesk-webhook-id' } }, parts: [{ literal: 'trigger' }] },
  ],
  occurredAt: [{ json: ['time'] }],
  accounts: [{ key: 'account', from: [{ json: ['account_id'] }, { header: 'x-zendesk-account-id' }] }],
  refs: {
    'zen:event-type:ticket.created': 'new_item',
    'zen:event-type:ticket.comment_added': 'comment.created',
    'zen:event-type:ticket.soft_deleted': 'item.deleted',
    'zen:event-type:ticket.permanently_deleted': 'item.deleted',
    'zen:event-type:ticket.*': 'item.updated',
    'zen:event-type:user.created': 'new_item',
    'zen:event-type:user.deleted': 'item.deleted',
    'zen:event-type:user.*': 'item.updated',
    'zen:event-type:organization.created': 'new_item',
    'zen:event-type:organization.deleted': 'item.deleted',
    'zen:event-type:organization.*': 'item.updated',
    'zen:event-type:article.published': 'new_item',
    'zen:event-type:article.comment_created': 'comment.created',
    trigger: 'item.updated',
  },
  states: {},
  answer: null,
  samples: {
    'zen:event-type:ticket.created': sample('ticket.created', 'zen:ticket:1', {
      id: '1',
      subject: 'Where is my order?',
      status: 'NEW',
    }),
    'zen:event-type:ticket.comment_added': sample('ticket.comment_added', 'zen:ticket:1', { id: '1' }),
    'zen:event-type:ticket.status_changed': sample('ticket.status_changed', 'zen:ticket:1', {
      id: '1',
      status: 'SOLVED',
    }),
    trigger: {
      headers: { 'x-zendesk-account-id': '12345', 'x-zendesk-webhook-id': '01EXAMPLEWEBHOOK' },
      body: { ticket: '1', title: 'Where is my order?' },
    },
  },
};
