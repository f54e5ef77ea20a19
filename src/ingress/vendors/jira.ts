import type { Sample, VendorProfile } from './profile.ts';

const site = 'https://example.atlassian.net';

const sample = (webhookEvent: string, body: Record<string, unknown>): Sample => ({
  headers: { 'x-atlassian-webhook-flow': 'Primary' },
  body: {
    timestamp: 1_767_225_600_000,
    webhookEvent,
    issue: {
      id: '10001',
      key: 'EX-1',
      self: `${site}/rest/api/2/issue/10001`,
      fields: { summary: 'The build fails on Mondays', project: { id: '10000', key: 'EX' } },
    },
    ...body,
  },
});

/**
 * Webhooks that a Jira administrator makes, with a secret: https://developer.atlassian.com/cloud/jira/platform/webhooks/.
 * Those of Connect and of OAuth apps are vendors of their own: were their tokens taken here as well, one that a browser of
 * a tenant can see would pass for a signature of a body.
 */
export const jira: VendorProfile = {
  vendor: 'jira',
  about: {
    name: 'Jira webhooks of an administrator',
    docs: 'https://developer.atlassian.com/cloud/jira/platform/webhooks/',
    setUp:
      'A webhook in Jira administration (or `/rest/webhooks/1.0/webhook`) with a secret and the events that you map.',
    secret: 'The secret of the webhook.',
    answerSeconds: null,
    notes: [
      'A webhook without a secret is not signed, and refused.',
      'What follows from another change (flow `Secondary`) may come a quarter of an hour late.',
      'Apps: vendors `jira-connect` and `jira-dynamic`.',
    ],
    unconfirmed: ['That is retried up to 5 times, 5 to 15 minutes apart, on 408, 409, 425, 429 and 5xx.'],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    key: 'text',
    encoding: 'hex',
    signed: ['body'],
    signature: { header: 'x-hub-signature', prefix: 'sha256=' },
  },
  takes: ['json'],
  handshakes: [],
  // Unique within a site, and the same on every retry.
  deliveryId: [{ header: 'x-atlassian-webhook-identifier' }],
  eventId: [{ header: 'x-atlassian-webhook-identifier' }],
  event: [
    { parts: [{ json: ['webhookEvent'] }], detail: [{ json: ['issue_event_type_name'] }] },
    // What Connect tells an app about itself.
    { parts: [{ json: ['eventType'] }] },
  ],
  occurredAt: [{ json: ['timestamp'] }],
  accounts: [
    {
      key: 'site',
      from: [
        { origin: ['issue', 'self'] },
        { origin: ['comment', 'self'] },
        { origin: ['worklog', 'self'] },
        { origin: ['version', 'self'] },
        { origin: ['project', 'self'] },
        { origin: ['sprint', 'self'] },
        { origin: ['board', 'self'] },
        { origin: ['user', 'self'] },
        { origin: ['baseUrl'] },
      ],
    },
    { key: 'project', from: [{ json: ['issue', 'fields', 'project', 'id'] }, { json: ['project', 'id'] }] },
  ],
  refs: {
    'jira:issue_created': 'new_item',
    'jira:issue_updated': 'item.updated',
    'jira:issue_deleted': 'item.deleted',
    comment_created: 'comment.created',
    comment_updated: 'item.updated',
    comment_deleted: 'item.deleted',
    'worklog_*': 'item.updated',
    attachment_created: 'file.created',
    attachment_deleted: 'file.deleted',
    project_created: 'new_item',
    project_updated: 'item.updated',
    project_deleted: 'item.deleted',
    'jira:version_created': 'new_item',
    'jira:version_released': 'item.updated',
    'jira:version_unreleased': 'item.updated',
    'jira:version_updated': 'item.updated',
    'jira:version_deleted': 'item.deleted',
    sprint_created: 'new_item',
    sprint_started: 'item.updated',
    sprint_updated: 'item.updated',
    sprint_closed: 'item.updated',
    sprint_deleted: 'item.deleted',
  },
  states: {},
  answer: null,
  samples: {
    'jira:issue_created': sample('jira:issue_created', { issue_event_type_name: 'issue_created' }),
    'jira:issue_updated': sample('jira:issue_updated', { issue_event_type_name: 'issue_generic' }),
    'jira:issue_deleted': sample('jira:issue_deleted', {}),
    comment_created: sample('comment_created', {
      comment: {
        id: '10100',
        body: 'It is the cache.',
        self: `${site}/rest/api/2/issue/10001/comment/10100`,
      },
    }),
  },
};
