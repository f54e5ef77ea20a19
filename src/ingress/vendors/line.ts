import type { Sample, VendorProfile } from './profile.ts';

const sample = (event: Record<string, unknown>): Sample => ({
  body: {
    destination: 'U0000000000000000000000000000000a',
    events: [
      {
        mode: 'active',
        timestamp: 1_750_000_000_000,
        source: { type: 'user', userId: 'U0000000000000000000000000000000b' },
        webhookEventId: '01EXAMPLE0000000000000000',
        deliveryContext: { isRedelivery: false },
        ...event,
      },
    ],
  },
});

/** LINE Messaging API: https://developers.line.biz/en/reference/messaging-api/#webhooks */
export const line: VendorProfile = {
  vendor: 'line',
  about: {
    name: 'LINE Messaging API',
    docs: 'https://developers.line.biz/en/reference/messaging-api/#webhooks',
    setUp:
      'The URL as webhook URL of the channel, with “Use webhook” on, and “Webhook redelivery” where you want retries.',
    secret: 'The channel secret.',
    answerSeconds: 2,
    switchesOff: {
      on: ['4xx', '5xx'],
      how: 'LINE may stop sending to a URL that fails for long.',
    },
    notes: [
      'The Verify button posts an empty, signed batch: it is answered 200 and no event.',
      'Redelivered events may come out of order; each keeps its `webhookEventId`.',
      'Long failure may make LINE stop.',
      'No time is signed.',
    ],
    unconfirmed: [
      'How often is redelivered, and how far apart.',
      'When a bot is told `botSuspended`, `botResumed` or of a module: their types are in LINE’s SDK.',
    ],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    key: 'text',
    encoding: 'base64',
    signed: ['body'],
    signature: { header: 'x-line-signature' },
  },
  takes: ['json'],
  handshakes: [],
  split: [['events', '*']],
  deliveryId: [],
  eventId: [{ json: ['webhookEventId'] }],
  event: [
    {
      parts: [{ json: ['type'] }],
      detail: [{ json: ['message', 'type'] }, { json: ['module', 'type'] }, { json: ['link', 'result'] }],
    },
  ],
  occurredAt: [{ json: ['timestamp'] }],
  accounts: [{ key: 'destination', from: [{ whole: ['destination'] }] }],
  refs: {
    message: 'message.received',
    unsend: 'message.deleted',
    postback: 'item.updated',
    follow: 'new_item',
    unfollow: 'item.deleted',
    join: 'new_item',
    leave: 'item.deleted',
    memberJoined: 'item.updated',
    memberLeft: 'item.updated',
    botSuspended: 'binding.degraded',
    botResumed: 'binding.restored',
    'module.attached': 'binding.restored',
    'module.detached': 'binding.degraded',
  },
  states: {
    botSuspended: 'suspended',
    botResumed: 'active',
    'module.attached': 'active',
    'module.detached': 'revoked',
  },
  answer: { status: 200, body: '' },
  samples: {
    message: sample({
      type: 'message',
      replyToken: 'example',
      message: { id: '444573844083572737', type: 'text', quoteToken: 'example', text: 'Lunch at noon?' },
    }),
    unsend: sample({ type: 'unsend', unsend: { messageId: '444573844083572737' } }),
    follow: sample({ type: 'follow', replyToken: 'example', follow: { isUnblocked: false } }),
    unfollow: sample({ type: 'unfollow' }),
    postback: sample({ type: 'postback', replyToken: 'example', postback: { data: 'order=1' } }),
    botSuspended: sample({ type: 'botSuspended' }),
  },
};
