import type { Sample, VendorProfile } from './profile.ts';

const sample = (topic: string, item: Record<string, unknown>): Sample => ({
  body: {
    type: 'notification_event',
    app_id: 'example',
    id: 'notif_example',
    topic,
    created_at: 1_767_225_600,
    delivery_attempts: 1,
    data: { type: 'notification_event_data', item },
  },
});

/** Intercom webhooks: https://developers.intercom.com/docs/webhooks. SHA-1 with the app's client secret, and nothing better. */
export const intercom: VendorProfile = {
  vendor: 'intercom',
  about: {
    name: 'Intercom webhooks',
    docs: 'https://developers.intercom.com/docs/webhooks',
    setUp: 'The URL and the topics that you map under Webhooks of the app; Intercom tries it with HEAD.',
    secret: 'The client secret of the app.',
    answerSeconds: 5,
    switchesOff: {
      on: ['4xx', '5xx'],
      how: 'Over 1000 errors in a row pause the webhooks for 15 minutes; errors for 7 days suspend those of a private app.',
    },
    notes: [
      'Answers slower than 500 ms lower the priority of what follows.',
      'Over 1000 errors in a row within 15 minutes pause for 15 minutes; errors for 7 days switch a private app’s webhooks off.',
      'The secret is the OAuth client secret: keep the old one beside it while you change it.',
    ],
    unconfirmed: [
      'The 5 seconds, one retry after a minute, and that 410 switches the webhook off.',
      'Whether the removal of the app is told; probe the link.',
    ],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha1',
    key: 'text',
    encoding: 'hex',
    signed: ['body'],
    signature: { header: 'x-hub-signature', prefix: 'sha1=' },
  },
  takes: ['json'],
  handshakes: [
    { method: 'HEAD', unproven: true, when: [], answer: { status: 200 } },
    { when: [{ at: { json: ['topic'] }, is: 'ping' }], answer: { status: 200, body: { literal: '' } } },
  ],
  deliveryId: [{ json: ['id'] }],
  eventId: [{ json: ['id'] }],
  event: [{ parts: [{ json: ['topic'] }] }],
  occurredAt: [{ json: ['created_at'] }],
  accounts: [{ key: 'workspace', from: [{ json: ['app_id'] }] }],
  refs: {
    'conversation.user.created': 'new_item',
    'conversation.user.replied': 'message.received',
    'conversation.deleted': 'item.deleted',
    'conversation.*': 'item.updated',
    'ticket.created': 'new_item',
    'ticket.*': 'item.updated',
    'contact.created': 'new_item',
    'contact.user.created': 'new_item',
    'contact.lead.created': 'new_item',
    'contact.deleted': 'item.deleted',
    'contact.*': 'item.updated',
    'company.created': 'new_item',
    'company.deleted': 'item.deleted',
    'company.*': 'item.updated',
  },
  states: {},
  answer: null,
  samples: {
    'conversation.user.created': sample('conversation.user.created', { type: 'conversation', id: '1001' }),
    'conversation.user.replied': sample('conversation.user.replied', { type: 'conversation', id: '1001' }),
    'contact.deleted': sample('contact.deleted', { type: 'contact', id: '5ba682d23d7cf92bef87bfd4' }),
    ping: sample('ping', { type: 'ping', message: 'Hello' }),
  },
};
