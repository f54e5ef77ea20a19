import type { Sample, VendorProfile } from './profile.ts';

const whatsapp = (value: Record<string, unknown>): Sample => ({
  body: {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '102290129340398',
        changes: [
          {
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '15550783881', phone_number_id: '106540352242922' },
              ...value,
            },
          },
        ],
      },
    ],
  },
});

/**
 * Meta webhooks for Pages, Instagram, Messenger and the WhatsApp Cloud API:
 * https://developers.facebook.com/docs/graph-api/webhooks/getting-started. The item of a batch is one change or one
 * messaging event; its entry says whose it is.
 */
export const meta: VendorProfile = {
  vendor: 'meta',
  about: {
    name: 'Meta webhooks: Facebook, Instagram, Messenger, WhatsApp',
    docs: 'https://developers.facebook.com/docs/graph-api/webhooks/getting-started',
    setUp: 'The URL as callback of the app, with a verify token of your choice.',
    secret: 'The app secret.',
    answerSeconds: 5,
    switchesOff: {
      on: ['4xx', '5xx'],
      how: 'Failures that go on unsubscribe the app.',
    },
    notes: [
      'One URL serves all accounts of the app; of a batch each change has its own account key.',
      'No time is signed; a repeated change is the same event.',
    ],
    unconfirmed: [
      'For how long is retried (36 hours; WhatsApp 7 days).',
      'Whether characters beyond ASCII ever come unescaped; both forms of the body are tried.',
    ],
  },
  params: {
    verify_token: { needed: 'always', means: 'the verify token that you typed in at Meta' },
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    key: 'text',
    encoding: 'hex',
    signed: ['body'],
    signature: { header: 'x-hub-signature-256', prefix: 'sha256=' },
    bodyForms: ['escaped'],
  },
  takes: ['json'],
  handshakes: [
    {
      method: 'GET',
      unproven: true,
      when: [{ at: { query: 'hub.mode' }, is: 'subscribe' }, { at: { query: 'hub.challenge' } }],
      token: { at: { query: 'hub.verify_token' }, param: 'verify_token' },
      answer: { status: 200, type: 'text/plain', body: { query: 'hub.challenge' } },
    },
  ],
  split: [
    ['entry', '*', 'changes', '*'],
    ['entry', '*', 'messaging', '*'],
  ],
  deliveryId: [],
  eventId: [
    { json: ['value', 'messages', '0', 'id'] },
    { all: [{ json: ['value', 'statuses', '0', 'id'] }, { json: ['value', 'statuses', '0', 'status'] }] },
    { json: ['message', 'mid'] },
  ],
  event: [
    { when: { at: { json: ['value', 'messages'] } }, parts: [{ literal: 'messages' }] },
    {
      when: { at: { json: ['value', 'statuses'] } },
      parts: [{ literal: 'statuses' }],
      detail: [{ json: ['value', 'statuses', '0', 'status'] }],
    },
    { parts: [{ json: ['field'] }, { json: ['value', 'verb'] }], detail: [{ json: ['value', 'event'] }] },
    { when: { at: { json: ['message'] } }, parts: [{ literal: 'messages' }] },
    { when: { at: { json: ['delivery'] } }, parts: [{ literal: 'statuses' }, { literal: 'delivered' }] },
    { when: { at: { json: ['read'] } }, parts: [{ literal: 'statuses' }, { literal: 'read' }] },
    { when: { at: { json: ['postback'] } }, parts: [{ literal: 'postback' }] },
  ],
  occurredAt: [
    { json: ['value', 'messages', '0', 'timestamp'] },
    { json: ['value', 'statuses', '0', 'timestamp'] },
    { json: ['timestamp'] },
    { json: ['value', 'created_time'] },
    { parent: ['time'] },
  ],
  accounts: [
    { key: 'entry', from: [{ parent: ['id'] }] },
    { key: 'phone', from: [{ json: ['value', 'metadata', 'phone_number_id'] }] },
  ],
  refs: {
    messages: 'message.received',
    'statuses*': 'message.status',
    'feed.add': 'new_item',
    'feed.edit': 'item.updated',
    'feed.edited': 'item.updated',
    'feed.remove': 'item.deleted',
    'comments*': 'comment.created',
    postback: 'item.updated',
    account_update: 'item.updated',
    'account_update.DISABLED_UPDATE': 'binding.degraded',
    'account_update.ACCOUNT_RESTRICTION': 'binding.degraded',
    'account_update.ACCOUNT_VIOLATION': 'binding.degraded',
  },
  states: { 'account_update.*': 'suspended' },
  answer: { status: 200, body: '' },
  samples: {
    messages: whatsapp({
      messages: [
        {
          from: '15005550006',
          id: 'wamid.example',
          timestamp: '1750000000',
          type: 'text',
          text: { body: 'Lunch?' },
        },
      ],
    }),
    'statuses.delivered': whatsapp({
      statuses: [
        { id: 'wamid.example', status: 'delivered', timestamp: '1750000000', recipient_id: '15005550006' },
      ],
    }),
  },
};
