import { standardWebhooks } from '../verify/standard-webhooks.ts';
import type { Sample, VendorProfile } from './profile.ts';

const sample = (event: string, body: Record<string, unknown>): Sample => ({
  headers: { 'x-gitlab-event': event, 'x-gitlab-instance': 'https://gitlab.example.com' },
  body: { ...body, project: { id: 15, path_with_namespace: 'example/hello' } },
});

/**
 * GitLab webhooks: https://docs.gitlab.com/user/project/integrations/webhooks/. A delivery that carries a Standard
 * Webhooks signature is judged by it alone; else by the token, which says nothing of the body.
 */
export const gitlab: VendorProfile = {
  vendor: 'gitlab',
  about: {
    name: 'GitLab webhooks',
    docs: 'https://docs.gitlab.com/user/project/integrations/webhooks/',
    setUp: 'The URL with a signing token (`whsec_…`) where the instance has them, else a secret token.',
    secret: 'The signing token, or the secret token; both while you change over.',
    answerSeconds: 10,
    switchesOff: {
      on: ['4xx', '5xx'],
      how: 'GitLab.com switches a hook off after four failures in a row: for good after 4xx answers, for a minute up to a day after 5xx.',
    },
    notes: [
      'The secret token is sent in clear and the body is not bound to it: prefer the signing token.',
      'GitLab.com switches a hook off for good after four 4xx answers: give it the right secret before its events flow.',
      'The payload names no tenant: only `project:` tells whose it is, and it is unique within one instance only.',
    ],
    unconfirmed: ['The 10 seconds.', 'From which version on an instance has signing tokens.'],
  },
  proof: {
    kind: 'choose',
    of: [
      { when: [{ at: { header: 'webhook-signature' } }], proof: standardWebhooks },
      { when: [], proof: { kind: 'token', at: { header: 'x-gitlab-token' } } },
    ],
  },
  takes: ['json'],
  handshakes: [],
  deliveryId: [{ header: 'idempotency-key' }, { header: 'webhook-id' }],
  // X-Gitlab-Event-UUID is shared by recursive hooks, so it is none. Older instances send neither of these.
  eventId: [{ header: 'idempotency-key' }, { header: 'webhook-id' }],
  event: [
    {
      parts: [{ json: ['object_kind'] }, { json: ['object_attributes', 'action'] }],
      detail: [{ json: ['object_attributes', 'status'] }, { json: ['build_status'] }],
    },
    { parts: [{ json: ['event_name'] }] },
  ],
  occurredAt: [
    { json: ['object_attributes', 'updated_at'] },
    { json: ['object_attributes', 'finished_at'] },
    { json: ['object_attributes', 'created_at'] },
    { json: ['build_finished_at'] },
    { json: ['updated_at'] },
  ],
  accounts: [
    { key: 'project', from: [{ json: ['project', 'id'] }, { json: ['project_id'] }] },
    { key: 'group', from: [{ json: ['group_id'] }, { json: ['group', 'group_id'] }] },
  ],
  refs: {
    'issue.open': 'new_item',
    'merge_request.open': 'new_item',
    'issue.*': 'item.updated',
    'merge_request.*': 'item.updated',
    push: 'item.updated',
    tag_push: 'item.updated',
    'note*': 'comment.created',
    'pipeline.success': 'run.completed',
    'pipeline.failed': 'run.failed',
    'pipeline.canceled': 'run.failed',
    'build.success': 'run.completed',
    'build.failed': 'run.failed',
    'build.canceled': 'run.failed',
    'access_token.*': 'binding.degraded',
    access_token: 'binding.degraded',
  },
  states: { 'access_token*': 'expired' },
  answer: null,
  samples: {
    'issue.open': sample('Issue Hook', {
      object_kind: 'issue',
      object_attributes: {
        id: 301,
        iid: 3,
        action: 'open',
        title: 'The build fails',
        updated_at: '2026-01-01 00:00:00 UTC',
      },
    }),
    'merge_request.update': sample('Merge Request Hook', {
      object_kind: 'merge_request',
      object_attributes: {
        id: 99,
        iid: 1,
        action: 'update',
        title: 'Mend it',
        updated_at: '2026-01-01 00:00:00 UTC',
      },
    }),
    'pipeline.failed': sample('Pipeline Hook', {
      object_kind: 'pipeline',
      object_attributes: { id: 31, status: 'failed', finished_at: '2026-01-01 00:00:00 UTC' },
    }),
  },
};
