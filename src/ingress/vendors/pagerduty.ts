import type { Sample, VendorProfile } from './profile.ts';

const sample = (event_type: string, data: Record<string, unknown> = {}): Sample => ({
  body: {
    event: {
      id: '01EXAMPLE',
      event_type,
      resource_type: 'incident',
      occurred_at: '2026-01-01T00:00:00.000Z',
      data: {
        id: 'PINCIDENT',
        type: 'incident',
        title: 'The build is down',
        service: { id: 'PSERVICE', type: 'service_reference' },
        ...data,
      },
    },
  },
});

/** PagerDuty webhooks of version 3: https://developer.pagerduty.com/docs/webhooks-overview */
export const pagerduty: VendorProfile = {
  vendor: 'pagerduty',
  about: {
    name: 'PagerDuty webhooks, version 3',
    docs: 'https://developer.pagerduty.com/docs/webhooks-overview',
    setUp: 'A webhook subscription of a service, a team or the account, with the events that you map.',
    secret: 'The secret of the subscription, shown once; each subscription has its own.',
    answerSeconds: 16,
    switchesOff: {
      on: ['4xx', '5xx'],
      how: 'A subscription that keeps failing is disabled for a time.',
    },
    notes: [
      'While secrets are changed it is signed with each of them, and any is enough.',
      'Events come in no order: compare `event.occurred_at`.',
      'Versions 1 and 2 have no signature, and are refused.',
      'Only the body is signed: use `subscription:` keys only where every subscription of the source is yours.',
    ],
    unconfirmed: [
      'The 16 seconds, and that a subscription that keeps failing is switched off for a time.',
      'That a delivery that is sent again repeats `event.id`.',
    ],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    key: 'text',
    encoding: 'hex',
    signed: ['body'],
    signature: { header: 'x-pagerduty-signature', separator: ',', prefix: 'v1=' },
  },
  takes: ['json'],
  handshakes: [
    {
      when: [{ at: { json: ['event', 'event_type'] }, is: 'pagey.ping' }],
      answer: { status: 200, body: { literal: '' } },
    },
  ],
  deliveryId: [{ json: ['event', 'id'] }],
  eventId: [{ json: ['event', 'id'] }],
  event: [{ parts: [{ json: ['event', 'event_type'] }] }],
  occurredAt: [{ json: ['event', 'occurred_at'] }],
  accounts: [
    // Of a service's own events the service is what the event is about.
    {
      key: 'service',
      from: [{ json: ['event', 'data', 'service', 'id'] }],
    },
    { key: 'subscription', from: [{ header: 'x-webhook-subscription' }, { header: 'x-webhook-id' }] },
  ],
  refs: {
    'incident.triggered': 'alert.opened',
    'incident.reopened': 'alert.opened',
    'incident.resolved': 'alert.closed',
    'incident.annotated': 'comment.created',
    'incident.status_update_published': 'comment.created',
    'incident.*': 'item.updated',
    'service.created': 'new_item',
    'service.updated': 'item.updated',
    'service.deleted': 'item.deleted',
  },
  states: {},
  answer: null,
  samples: {
    'incident.triggered': sample('incident.triggered'),
    'incident.acknowledged': sample('incident.acknowledged'),
    'incident.resolved': sample('incident.resolved'),
    'incident.annotated': sample('incident.annotated', { content: 'It is the cache.' }),
    'pagey.ping': sample('pagey.ping', { message: 'Hello from your friend Pagey!' }),
  },
};
