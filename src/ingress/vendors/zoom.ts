import type { Sample, VendorProfile } from './profile.ts';

const sample = (event: string, object: Record<string, unknown>): Sample => ({
  body: {
    event,
    event_ts: 1_750_000_000_000,
    payload: { account_id: 'AAAAAAexample', object },
  },
});

const meeting = { uuid: '4444AAAiAAAAAiAiAiiAii==', id: '1234567890', host_id: 'x1yCzABCDEfg23HiJKl4mN' };

/**
 * Zoom webhooks: https://developers.zoom.us/docs/api/webhooks/. Zoom asks every 72 hours again whether we hold the secret
 * token; a wrong answer switches the subscription off.
 */
export const zoom: VendorProfile = {
  vendor: 'zoom',
  about: {
    name: 'Zoom webhooks',
    docs: 'https://developers.zoom.us/docs/api/webhooks/',
    setUp: 'The URL as event notification endpoint; start before you press Validate.',
    secret: 'The secret token of the app (not the retired verification token).',
    answerSeconds: 3,
    switchesOff: {
      on: ['4xx'],
      how: 'Zoom validates the URL every 72 hours, and disables it where that fails.',
    },
    notes: [
      'The URL validation is answered with the newest secret, and only after its own signature holds: after a new secret token at Zoom put it first at once.',
      'Zoom asks for that validation every 72 hours; a missed one switches the subscription off.',
      'After `app_deauthorized` the data of that user must be removed.',
    ],
    unconfirmed: [
      'Whether a retry (after 5, 20 and 60 minutes) is signed anew; one that is not is refused after 300 s.',
      'Whether x-zm-trackingid is the same for every retry; it is taken as the id of the delivery only.',
    ],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    key: 'text',
    encoding: 'hex',
    signed: [{ literal: 'v0:' }, 'timestamp', { literal: ':' }, 'body'],
    signature: { header: 'x-zm-signature', prefix: 'v0=' },
    timestamp: { header: 'x-zm-request-timestamp' },
  },
  takes: ['json'],
  handshakes: [
    {
      when: [{ at: { json: ['event'] }, is: 'endpoint.url_validation' }],
      answer: {
        status: 200,
        body: {
          object: {
            plainToken: { json: ['payload', 'plainToken'] },
            encryptedToken: {
              hmacOf: { json: ['payload', 'plainToken'] },
              // What is signed of a delivery holds colons and braces, so this never yields its signature.
              only: /^[A-Za-z0-9_+/=-]{1,128}$/,
              encoding: 'hex',
            },
          },
        },
      },
    },
  ],
  deliveryId: [{ header: 'x-zm-trackingid' }],
  eventId: [
    {
      all: [
        { json: ['event'] },
        { json: ['event_ts'] },
        { json: ['payload', 'account_id'] },
        { json: ['payload', 'object', 'uuid'] },
        { json: ['payload', 'object', 'id'] },
        { json: ['payload', 'object', 'participant', 'participant_uuid'] },
        { json: ['payload', 'object', 'participant', 'user_id'] },
        { json: ['payload', 'user_id'] },
      ],
    },
  ],
  event: [{ parts: [{ json: ['event'] }] }],
  occurredAt: [{ json: ['event_ts'] }],
  accounts: [
    { key: 'account', from: [{ json: ['payload', 'account_id'] }] },
    { key: 'user', from: [{ json: ['payload', 'user_id'] }], on: ['app_deauthorized'] },
    { key: 'host', from: [{ json: ['payload', 'object', 'host_id'] }] },
  ],
  refs: {
    'meeting.created': 'new_item',
    'meeting.updated': 'item.updated',
    'meeting.deleted': 'item.deleted',
    'meeting.started': 'run.started',
    'meeting.ended': 'run.completed',
    'recording.completed': 'file.created',
    'recording.transcript_completed': 'file.created',
    'recording.deleted': 'file.deleted',
    'recording.trashed': 'file.deleted',
    'webinar.created': 'new_item',
    'webinar.updated': 'item.updated',
    'webinar.deleted': 'item.deleted',
    'webinar.started': 'run.started',
    'webinar.ended': 'run.completed',
    app_deauthorized: 'binding.degraded',
  },
  states: { app_deauthorized: 'revoked' },
  answer: { status: 200, body: '' },
  samples: {
    'meeting.created': sample('meeting.created', { ...meeting, topic: 'Lunch' }),
    'meeting.started': sample('meeting.started', { ...meeting, topic: 'Lunch' }),
    'meeting.ended': sample('meeting.ended', { ...meeting, topic: 'Lunch' }),
    'recording.completed': sample('recording.completed', { ...meeting, recording_count: 1 }),
    app_deauthorized: {
      body: {
        event: 'app_deauthorized',
        event_ts: 1_750_000_000_000,
        payload: {
          account_id: 'AAAAAAexample',
          user_id: 'z9example',
          client_id: 'example',
          deauthorization_time: '2026-01-01T00:00:00.000Z',
        },
      },
    },
  },
};
