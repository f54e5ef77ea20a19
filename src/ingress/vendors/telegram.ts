import type { Place } from '../place.ts';
import type { EventName, Sample, VendorProfile } from './profile.ts';

/** Every update holds one member beside `update_id`; its name is the event. */
const kinds = [
  'message',
  'edited_message',
  'channel_post',
  'edited_channel_post',
  'business_message',
  'edited_business_message',
  'deleted_business_messages',
  'message_reaction',
  'callback_query',
  'inline_query',
  'chosen_inline_result',
  'my_chat_member',
  'chat_member',
  'chat_join_request',
  'shipping_query',
  'pre_checkout_query',
  'poll',
  'poll_answer',
] as const;

const nameOf = (kind: string): EventName => ({
  when: { at: { json: [kind] } },
  parts: [{ literal: kind }],
  detail: [{ json: [kind, 'new_chat_member', 'status'] }],
});

const times: readonly Place[] = [
  ...kinds.flatMap((kind): Place[] => [{ json: [kind, 'edit_date'] }, { json: [kind, 'date'] }]),
];

const message = (extra: Record<string, unknown> = {}) => ({
  message_id: 7,
  date: 1_750_000_000,
  from: { id: 1001, is_bot: false, first_name: 'Ada' },
  chat: { id: 1001, type: 'private', first_name: 'Ada' },
  text: 'Lunch at noon?',
  ...extra,
});

const sample = (update: Record<string, unknown>): Sample => ({ body: { update_id: 10_001, ...update } });

const membership = (status: string) => ({
  chat: { id: 1001, type: 'private', first_name: 'Ada' },
  from: { id: 1001, is_bot: false, first_name: 'Ada' },
  date: 1_750_000_000,
  old_chat_member: { user: { id: 2002, is_bot: true, first_name: 'Bot' }, status: 'member' },
  new_chat_member: { user: { id: 2002, is_bot: true, first_name: 'Bot' }, status },
});

/** Telegram Bot API: https://core.telegram.org/bots/api#setwebhook. An update does not name the bot, so each has its own source. */
export const telegram: VendorProfile = {
  vendor: 'telegram',
  about: {
    name: 'Telegram Bot API',
    docs: 'https://core.telegram.org/bots/api#setwebhook',
    setUp: 'setWebhook with the URL, a `secret_token`, and the `allowed_updates` that you want.',
    secret: 'The `secret_token` given to setWebhook: 1 to 256 of A-Z, a-z, 0-9, _ and -.',
    answerSeconds: null,
    notes: [
      'The token is sent in clear and the body is not bound to it: a leaked one ends only with another setWebhook.',
      'A bot has one webhook: setWebhook elsewhere takes it away in silence. One source for each bot.',
      'Telegram calls only the ports 443, 80, 88 and 8443.',
      'Whoever blocks the bot, or takes it out of a group, degrades the Binding of that chat. With a fixed `binding` for the whole bot that would be everybody’s: then give the source `refs` without `my_chat_member.*`.',
      'The answer is empty: a body would be taken as a call of a method.',
    ],
    unconfirmed: [
      'For how long is retried (updates are kept for 24 hours).',
      'That `update_id` begins anew after a week without updates; the date is therefore part of the id.',
    ],
  },
  proof: { kind: 'token', at: { header: 'x-telegram-bot-api-secret-token' } },
  takes: ['json'],
  handshakes: [],
  deliveryId: [],
  eventId: [
    {
      all: [
        { json: ['update_id'] },
        ...kinds.flatMap((kind): Place[] => [{ json: [kind, 'date'] }, { json: [kind, 'id'] }]),
      ],
    },
  ],
  event: kinds.map(nameOf),
  occurredAt: times,
  accounts: [
    {
      key: 'chat',
      from: [
        ...kinds.map((kind): Place => ({ json: [kind, 'chat', 'id'] })),
        { json: ['callback_query', 'message', 'chat', 'id'] },
        { json: ['inline_query', 'from', 'id'] },
      ],
    },
  ],
  refs: {
    message: 'message.received',
    channel_post: 'message.received',
    business_message: 'message.received',
    edited_message: 'message.updated',
    edited_channel_post: 'message.updated',
    edited_business_message: 'message.updated',
    deleted_business_messages: 'message.deleted',
    message_reaction: 'item.updated',
    callback_query: 'item.updated',
    chat_join_request: 'new_item',
    'my_chat_member.kicked': 'binding.degraded',
    'my_chat_member.left': 'binding.degraded',
    'my_chat_member.restricted': 'binding.degraded',
    'my_chat_member.member': 'binding.restored',
    'my_chat_member.administrator': 'binding.restored',
  },
  states: {
    'my_chat_member.kicked': 'revoked',
    'my_chat_member.left': 'revoked',
    'my_chat_member.restricted': 'scope_reduced',
    'my_chat_member.member': 'active',
    'my_chat_member.administrator': 'active',
  },
  answer: { status: 200, body: '' },
  samples: {
    message: sample({ message: message() }),
    edited_message: sample({ edited_message: message({ edit_date: 1_750_000_060, text: 'At one?' }) }),
    callback_query: sample({
      callback_query: {
        id: '4382bfdwdsb323b2d9',
        from: { id: 1001, is_bot: false, first_name: 'Ada' },
        message: message(),
        data: 'order=1',
      },
    }),
    'my_chat_member.kicked': sample({ my_chat_member: membership('kicked') }),
  },
};
