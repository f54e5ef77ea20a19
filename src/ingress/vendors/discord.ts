import type { VendorProfile } from './profile.ts';

/**
 * Discord webhook events and interactions: https://docs.discord.com/developers/events/webhook-events. Discord sends wrong
 * signatures on purpose and takes the URL away if they are not answered 401.
 */
export const discord: VendorProfile = {
  vendor: 'discord',
  about: {
    name: 'Discord webhook events and interactions',
    docs: 'https://docs.discord.com/developers/events/webhook-events',
    setUp: 'The URL as webhook events endpoint, or as interactions endpoint, of the application.',
    secret: 'The public key of the application, in hex. It is no secret, but it is named like one.',
    answerSeconds: 3,
    notes: [
      'Events carry no id: the same bytes are the same event.',
      'Interactions are recorded only; they are answered empty, so Discord shows its user that nothing came back.',
    ],
  },
  proof: {
    kind: 'ed25519',
    key: 'ed25519-hex',
    encoding: 'hex',
    signed: ['timestamp', 'body'],
    signature: { header: 'x-signature-ed25519' },
    timestamp: { header: 'x-signature-timestamp' },
  },
  takes: ['json'],
  handshakes: [
    // PING of webhook events, then of interactions: the outer type numbers differ.
    { when: [{ at: { json: ['type'] }, is: '0' }], answer: { status: 204, type: 'application/json' } },
    {
      when: [
        { at: { json: ['type'] }, is: '1' },
        { at: { json: ['event'] }, absent: true },
      ],
      answer: { status: 200, type: 'application/json', body: { literal: '{"type":1}' } },
    },
  ],
  deliveryId: [{ json: ['id'] }],
  eventId: [{ json: ['id'] }],
  event: [
    { parts: [{ json: ['event', 'type'] }] },
    {
      when: { at: { json: ['token'] } },
      parts: [{ literal: 'interaction' }],
      detail: [{ json: ['data', 'name'] }, { json: ['data', 'custom_id'] }],
    },
  ],
  occurredAt: [{ json: ['event', 'timestamp'] }],
  accounts: [
    { key: 'application', from: [{ json: ['application_id'] }] },
    { key: 'guild', from: [{ json: ['event', 'data', 'guild', 'id'] }, { json: ['guild_id'] }] },
    {
      key: 'user',
      from: [{ json: ['event', 'data', 'user', 'id'] }, { json: ['event', 'data', 'user_id'] }],
      on: ['APPLICATION_*', 'ENTITLEMENT_*'],
    },
  ],
  refs: {
    APPLICATION_AUTHORIZED: 'new_item',
    APPLICATION_DEAUTHORIZED: 'binding.degraded',
    ENTITLEMENT_CREATE: 'payment.succeeded',
    ENTITLEMENT_UPDATE: 'item.updated',
    ENTITLEMENT_DELETE: 'item.deleted',
    LOBBY_MESSAGE_CREATE: 'message.received',
    LOBBY_MESSAGE_UPDATE: 'message.updated',
    LOBBY_MESSAGE_DELETE: 'message.deleted',
    GAME_DIRECT_MESSAGE_CREATE: 'message.received',
    GAME_DIRECT_MESSAGE_UPDATE: 'message.updated',
    GAME_DIRECT_MESSAGE_DELETE: 'message.deleted',
  },
  states: { APPLICATION_DEAUTHORIZED: 'revoked' },
  answer: { status: 204, body: '', type: 'application/json' },
  samples: {},
};
