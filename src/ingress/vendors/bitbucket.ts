import type { Sample, VendorProfile } from './profile.ts';

const sample = (event: string, body: Record<string, unknown>): Sample => ({
  headers: { 'x-event-key': event, 'x-hook-uuid': '{00000000-0000-4000-8000-000000000009}' },
  body: {
    ...body,
    repository: {
      uuid: '{00000000-0000-4000-8000-000000000001}',
      full_name: 'example/hello',
      workspace: { uuid: '{00000000-0000-4000-8000-000000000002}' },
    },
  },
});

/**
 * Bitbucket Cloud webhooks: https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/. Only the body is signed,
 * with SHA-256 in the header that others use for SHA-1.
 */
export const bitbucket: VendorProfile = {
  vendor: 'bitbucket',
  about: {
    name: 'Bitbucket Cloud webhooks',
    docs: 'https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/',
    setUp: 'A webhook with a secret and the triggers that you map.',
    secret: 'The secret of the webhook.',
    answerSeconds: 10,
    notes: [
      'A webhook without a secret is not signed, and refused.',
      'After a 5xx it is sent up to two more times; payloads over 256 KB are not sent at all.',
    ],
    unconfirmed: [
      'That another attempt repeats X-Request-UUID.',
      'That Data Center signs its `diagnostics:ping`; its events have names of their own, which `refs` has to map.',
      'That the uninstallation of an app is told to its webhooks.',
    ],
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
  handshakes: [
    {
      when: [{ at: { header: 'x-event-key' }, is: 'diagnostics:ping' }],
      answer: { status: 200, body: { literal: '' } },
    },
  ],
  deliveryId: [{ header: 'x-request-uuid' }],
  // Not the bytes: a branch that is moved there and back twice is pushed with the same ones.
  eventId: [{ header: 'x-request-uuid' }],
  event: [{ parts: [{ header: 'x-event-key' }], detail: [{ json: ['commit_status', 'state'] }] }],
  occurredAt: [
    { json: ['comment', 'updated_on'] },
    { json: ['commit_status', 'updated_on'] },
    { json: ['pullrequest', 'updated_on'] },
    { json: ['issue', 'updated_on'] },
  ],
  accounts: [
    { key: 'repository', from: [{ json: ['repository', 'uuid'] }] },
    { key: 'workspace', from: [{ json: ['repository', 'workspace', 'uuid'] }] },
  ],
  refs: {
    'pullrequest:created': 'new_item',
    'pullrequest:*': 'item.updated',
    'pullrequest:comment_created': 'comment.created',
    'issue:created': 'new_item',
    'issue:updated': 'item.updated',
    'issue:comment_created': 'comment.created',
    'repo:push': 'item.updated',
    'repo:updated': 'item.updated',
    'repo:commit_comment_created': 'comment.created',
    'repo:commit_status_created.INPROGRESS': 'run.started',
    'repo:commit_status_created.SUCCESSFUL': 'run.completed',
    'repo:commit_status_created.FAILED': 'run.failed',
    'repo:commit_status_created.STOPPED': 'run.failed',
    'repo:commit_status_updated.SUCCESSFUL': 'run.completed',
    'repo:commit_status_updated.FAILED': 'run.failed',
    'repo:commit_status_updated.STOPPED': 'run.failed',
  },
  states: {},
  answer: null,
  samples: {
    'pullrequest:created': sample('pullrequest:created', {
      pullrequest: { id: 1, title: 'Mend the build', updated_on: '2026-01-01T00:00:00.000000+00:00' },
    }),
    'pullrequest:updated': sample('pullrequest:updated', {
      pullrequest: { id: 1, title: 'Mend it at last', updated_on: '2026-01-01T00:00:00.000000+00:00' },
    }),
    'pullrequest:comment_created': sample('pullrequest:comment_created', {
      pullrequest: { id: 1, title: 'Mend the build' },
      comment: {
        id: 5,
        content: { raw: 'It is the cache.' },
        updated_on: '2026-01-01T00:00:00.000000+00:00',
      },
    }),
    'repo:push': sample('repo:push', { push: { changes: [] } }),
    'repo:commit_status_updated.FAILED': sample('repo:commit_status_updated', {
      commit_status: { key: 'build', state: 'FAILED', updated_on: '2026-01-01T00:00:00.000000+00:00' },
    }),
  },
};
