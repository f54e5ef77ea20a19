import type { Sample, VendorProfile } from './profile.ts';

const sample = (resource: string, action: string, data: Record<string, unknown>): Sample => ({
  headers: { 'sentry-hook-resource': resource, 'sentry-hook-timestamp': '1767225600' },
  body: {
    action,
    installation: { uuid: '00000000-0000-4000-8000-000000000001' },
    data,
    actor: { type: 'application', id: 'sentry', name: 'Sentry' },
  },
});

/**
 * Webhooks of Sentry integrations: https://docs.sentry.io/integrations/integration-platform/webhooks/. Only the body is
 * signed; the time in its header is not.
 */
export const sentry: VendorProfile = {
  vendor: 'sentry',
  about: {
    name: 'Sentry integrations',
    docs: 'https://docs.sentry.io/integrations/integration-platform/webhooks/',
    setUp: 'An internal or public integration with the URL, the resources that you map, and as alert action.',
    secret: 'The client secret of the integration.',
    answerSeconds: 1,
    notes: [
      'After 1000 answers later than a second within 24 hours an unpublished integration gets no more events.',
      'Service hooks are another product with another scheme, and not taken.',
      'Internal integrations are not told of their removal.',
    ],
    unconfirmed: ['That a delivery that is sent again repeats Request-ID.'],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    key: 'text',
    encoding: 'hex',
    signed: ['body'],
    signature: { header: 'sentry-hook-signature' },
  },
  takes: ['json'],
  handshakes: [],
  deliveryId: [{ header: 'request-id' }],
  eventId: [{ header: 'request-id' }],
  event: [{ parts: [{ header: 'sentry-hook-resource' }, { json: ['action'] }] }],
  occurredAt: [
    { json: ['data', 'event', 'datetime'] },
    { json: ['data', 'error', 'datetime'] },
    { json: ['data', 'timestamp'] },
    { header: 'sentry-hook-timestamp' },
  ],
  accounts: [{ key: 'installation', from: [{ json: ['installation', 'uuid'] }] }],
  refs: {
    'issue.created': 'new_item',
    'issue.resolved': 'alert.closed',
    'issue.*': 'item.updated',
    'error.created': 'new_item',
    'event_alert.triggered': 'alert.opened',
    'metric_alert.critical': 'alert.opened',
    'metric_alert.warning': 'alert.opened',
    'metric_alert.resolved': 'alert.closed',
    'comment.created': 'comment.created',
    'comment.updated': 'item.updated',
    'comment.deleted': 'item.deleted',
    'installation.deleted': 'binding.degraded',
  },
  states: { 'installation.deleted': 'revoked' },
  answer: null,
  samples: {
    'issue.created': sample('issue', 'created', {
      issue: { id: '1170820242', title: 'TypeError: nothing is not a function', status: 'unresolved' },
    }),
    'issue.resolved': sample('issue', 'resolved', { issue: { id: '1170820242', status: 'resolved' } }),
    'event_alert.triggered': sample('event_alert', 'triggered', {
      event: { event_id: '00000000000000000000000000000001', datetime: '2026-01-01T00:00:00.000000Z' },
      triggered_rule: 'Too many errors',
    }),
    'metric_alert.resolved': sample('metric_alert', 'resolved', {
      metric_alert: { id: '4' },
      description_title: 'Resolved: too many errors',
    }),
    'installation.deleted': sample('installation', 'deleted', {
      installation: { uuid: '00000000-0000-4000-8000-000000000001' },
    }),
  },
};
