import type { Sample, VendorProfile } from './profile.ts';

const sample = (type: string, payload: Record<string, unknown>): Sample => ({
  body: {
    id: 'uev_example',
    type,
    createdAt: 1_767_225_600_000,
    region: null,
    payload: { team: { id: 'team_example' }, user: { id: 'user_example' }, ...payload },
  },
});

const deployment = { deployment: { id: 'dpl_example', name: 'hello' }, project: { id: 'prj_example' } };

/** Vercel account and integration webhooks: https://vercel.com/docs/webhooks/webhooks-api. SHA-1, without prefix. */
export const vercel: VendorProfile = {
  vendor: 'vercel',
  about: {
    name: 'Vercel account and integration webhooks',
    docs: 'https://vercel.com/docs/webhooks/webhooks-api',
    setUp: 'A webhook of the team, or the webhook URL of an integration, with the events that you map.',
    secret: 'The secret of the webhook, shown once; for an integration its client secret.',
    answerSeconds: 30,
    notes: [
      'A `user:` key covers what that user does in every team: bind by `team:` or `configuration:` where there is one.',
      'Log drains are another product with another proof, and not taken.',
    ],
    unconfirmed: ['The 30 seconds, and that is retried for 24 hours.'],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha1',
    key: 'text',
    encoding: 'hex',
    signed: ['body'],
    signature: { header: 'x-vercel-signature' },
  },
  takes: ['json'],
  handshakes: [],
  deliveryId: [{ json: ['id'] }],
  eventId: [{ json: ['id'] }],
  event: [{ parts: [{ json: ['type'] }] }],
  occurredAt: [{ json: ['createdAt'] }],
  accounts: [
    { key: 'team', from: [{ json: ['payload', 'team', 'id'] }] },
    { key: 'user', from: [{ json: ['payload', 'user', 'id'] }] },
    { key: 'configuration', from: [{ json: ['payload', 'configuration', 'id'] }] },
    { key: 'project', from: [{ json: ['payload', 'project', 'id'] }] },
  ],
  refs: {
    'deployment.created': 'run.started',
    'deployment.succeeded': 'run.completed',
    'deployment.error': 'run.failed',
    'deployment.canceled': 'run.failed',
    'deployment.promoted': 'item.updated',
    'project.created': 'new_item',
    'project.renamed': 'item.updated',
    'project.removed': 'item.deleted',
    'alerts.triggered': 'alert.opened',
    'integration-configuration.removed': 'binding.degraded',
    'integration-configuration.scope-change-confirmed': 'binding.degraded',
    'integration-configuration.permission-upgraded': 'binding.restored',
  },
  states: {
    'integration-configuration.removed': 'revoked',
    'integration-configuration.scope-change-confirmed': 'scope_reduced',
    'integration-configuration.permission-upgraded': 'active',
  },
  answer: null,
  samples: {
    'deployment.created': sample('deployment.created', deployment),
    'deployment.succeeded': sample('deployment.succeeded', deployment),
    'deployment.error': sample('deployment.error', deployment),
    'project.created': sample('project.created', { project: { id: 'prj_example', name: 'hello' } }),
    'integration-configuration.removed': sample('integration-configuration.removed', {
      configuration: { id: 'icfg_example' },
    }),
  },
};
