import type { Sample, VendorProfile } from './profile.ts';

const sender = { login: 'octo-example', id: 42, type: 'User' };
const repository = { id: 3, name: 'hello', full_name: 'octo-example/hello', private: true };
const installation = { id: 77 };
const issue = { id: 9001, number: 12, title: 'The build fails on Mondays', state: 'open', user: sender };

const sample = (event: string, body: Record<string, unknown>): Sample => ({
  headers: { 'x-github-event': event, 'x-github-hook-id': '501', 'user-agent': 'GitHub-Hookshot/sample' },
  body: { ...body, sender },
});

/**
 * GitHub webhooks and Apps: https://docs.github.com/en/webhooks. Only the body is signed: X-GitHub-Event, -Delivery
 * and -Hook-ID are not. No time is signed either; a replay is the same delivery id and body, and de-duplicated.
 */
export const github: VendorProfile = {
  vendor: 'github',
  about: {
    name: 'GitHub webhooks and GitHub Apps',
    docs: 'https://docs.github.com/en/webhooks',
    setUp: 'Content type application/json, the secret, and the events that you map.',
    secret: 'The secret of the webhook or of the App.',
    answerSeconds: 10,
    notes: [
      'Only the body is signed: use `hook:` keys only where every hook of the source is yours, since its header is not.',
      'GitHub does not deliver again by itself.',
    ],
    unconfirmed: ['That a redelivery repeats X-GitHub-Delivery; the 10 seconds.'],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    key: 'text',
    encoding: 'hex',
    signed: ['body'],
    // Never X-Hub-Signature (SHA-1), which GitHub still sends beside it.
    signature: { header: 'x-hub-signature-256', prefix: 'sha256=' },
  },
  takes: ['json', 'form'],
  handshakes: [
    {
      when: [{ at: { header: 'x-github-event' }, is: 'ping' }],
      answer: { status: 200, body: { literal: 'pong' } },
    },
  ],
  deliveryId: [{ header: 'x-github-delivery' }],
  // A redelivery repeats it.
  eventId: [{ header: 'x-github-delivery' }],
  event: [
    {
      parts: [{ header: 'x-github-event' }, { json: ['action'] }],
      detail: [
        { json: ['workflow_run', 'conclusion'] },
        { json: ['workflow_job', 'conclusion'] },
        { json: ['check_run', 'conclusion'] },
        { json: ['check_suite', 'conclusion'] },
      ],
    },
  ],
  // There is no common field: the time of what the event is about, the innermost first.
  occurredAt: [
    { json: ['comment', 'updated_at'] },
    { json: ['review', 'submitted_at'] },
    { json: ['pull_request', 'updated_at'] },
    { json: ['issue', 'updated_at'] },
    { json: ['discussion', 'updated_at'] },
    { json: ['release', 'published_at'] },
    { json: ['workflow_run', 'updated_at'] },
    { json: ['check_suite', 'updated_at'] },
    { json: ['head_commit', 'timestamp'] },
    { json: ['installation', 'updated_at'] },
  ],
  // By id only: names of repositories and organizations are given up and taken by others.
  accounts: [
    { key: 'installation', from: [{ json: ['installation', 'id'] }] },
    { key: 'repository', from: [{ json: ['repository', 'id'] }] },
    { key: 'organization', from: [{ json: ['organization', 'id'] }] },
    { key: 'enterprise', from: [{ json: ['enterprise', 'id'] }] },
    { key: 'hook', from: [{ json: ['hook_id'] }, { header: 'x-github-hook-id' }] },
    { key: 'user', from: [{ json: ['sender', 'id'] }], on: ['github_app_authorization.*'] },
  ],
  refs: {
    'issues.opened': 'new_item',
    'issues.deleted': 'item.deleted',
    'issues.*': 'item.updated',
    'pull_request.opened': 'new_item',
    'pull_request.*': 'item.updated',
    'pull_request_review.*': 'item.updated',
    'discussion.created': 'new_item',
    'discussion.deleted': 'item.deleted',
    'discussion.*': 'item.updated',
    'release.published': 'new_item',
    'release.edited': 'item.updated',
    'release.deleted': 'item.deleted',
    push: 'item.updated',
    'issue_comment.created': 'comment.created',
    'commit_comment.created': 'comment.created',
    'discussion_comment.created': 'comment.created',
    'pull_request_review_comment.created': 'comment.created',
    'workflow_run.completed': 'run.completed',
    'workflow_run.completed.failure': 'run.failed',
    'workflow_run.completed.timed_out': 'run.failed',
    'workflow_run.completed.startup_failure': 'run.failed',
    'check_suite.completed': 'run.completed',
    'check_suite.completed.failure': 'run.failed',
    'check_suite.completed.timed_out': 'run.failed',
    'check_suite.completed.startup_failure': 'run.failed',
    'installation.deleted': 'binding.degraded',
    'installation.suspend': 'binding.degraded',
    'installation.unsuspend': 'binding.restored',
    'installation.new_permissions_accepted': 'binding.restored',
    'installation_repositories.removed': 'binding.degraded',
    'github_app_authorization.revoked': 'binding.degraded',
    'meta.deleted': 'binding.degraded',
  },
  states: {
    'installation.deleted': 'revoked',
    'installation.suspend': 'suspended',
    'installation.unsuspend': 'active',
    'installation.new_permissions_accepted': 'active',
    'installation_repositories.removed': 'scope_reduced',
    'github_app_authorization.revoked': 'revoked',
    'meta.deleted': 'subscription_removed',
  },
  answer: null,
  samples: {
    'issues.opened': sample('issues', { action: 'opened', issue, repository, installation }),
    'issues.edited': sample('issues', {
      action: 'edited',
      issue,
      changes: { title: { from: 'The build fails' } },
      repository,
      installation,
    }),
    'issues.deleted': sample('issues', { action: 'deleted', issue, repository, installation }),
    'issue_comment.created': sample('issue_comment', {
      action: 'created',
      issue,
      comment: { id: 7001, body: 'It is the cache.', user: sender },
      repository,
      installation,
    }),
    'workflow_run.completed': sample('workflow_run', {
      action: 'completed',
      workflow_run: { id: 8001, name: 'build', status: 'completed', conclusion: 'success' },
      repository,
      installation,
    }),
    push: sample('push', {
      ref: 'refs/heads/main',
      before: '0000000000000000000000000000000000000000',
      after: '1111111111111111111111111111111111111111',
      commits: [],
      repository,
      installation,
    }),
    'installation.suspend': sample('installation', { action: 'suspend', installation }),
    'installation.deleted': sample('installation', { action: 'deleted', installation }),
    'installation.unsuspend': sample('installation', { action: 'unsuspend', installation }),
    'star.created': sample('star', { action: 'created', repository, installation }),
    ping: sample('ping', { zen: 'Keep it logically awesome.', hook_id: 501, repository }),
  },
};
