import type { Sample, VendorProfile } from './profile.ts';

const callback = (event: Record<string, unknown>): Sample => ({
  body: {
    token: 'not-a-secret',
    team_id: 'T0EXAMPLE',
    api_app_id: 'A0EXAMPLE',
    event,
    type: 'event_callback',
    event_id: 'Ev0EXAMPLE',
    event_time: 1_750_000_000,
    authorizations: [{ enterprise_id: null, team_id: 'T0EXAMPLE', user_id: 'U0EXAMPLE', is_bot: true }],
  },
});

/**
 * Slack Events API, interactivity and slash commands, all on one URL:
 * https://docs.slack.dev/authentication/verifying-requests-from-slack. Retries are signed anew.
 */
export const slack: VendorProfile = {
  vendor: 'slack',
  about: {
    name: 'Slack Events API, interactivity and slash commands',
    docs: 'https://docs.slack.dev/authentication/verifying-requests-from-slack',
    setUp: 'The URL as Request URL of event subscriptions, interactivity and commands.',
    secret: 'The signing secret of the app.',
    answerSeconds: 3,
    switchesOff: {
      on: ['4xx', '5xx'],
      how: 'Slack may disable a subscription of whose deliveries under 5 % succeed within an hour.',
    },
    notes: [
      'In a shared channel `team_id` may be the other workspace: the keys are of the installation in `authorizations`.',
    ],
  },
  proof: {
    kind: 'hmac',
    algorithm: 'sha256',
    key: 'text',
    encoding: 'hex',
    signed: [{ literal: 'v0:' }, 'timestamp', { literal: ':' }, 'body'],
    signature: { header: 'x-slack-signature', prefix: 'v0=' },
    timestamp: { header: 'x-slack-request-timestamp' },
  },
  takes: ['json', 'form'],
  handshakes: [
    {
      when: [{ at: { json: ['type'] }, is: 'url_verification' }],
      answer: { status: 200, body: { json: ['challenge'] } },
    },
    // Slack's check of a slash command's certificate.
    { when: [{ at: { json: ['ssl_check'] }, is: '1' }], answer: { status: 200, body: { literal: '' } } },
  ],
  deliveryId: [{ json: ['event_id'] }],
  eventId: [{ json: ['event_id'] }],
  event: [
    { parts: [{ json: ['event', 'type'] }, { json: ['event', 'subtype'] }] },
    {
      when: { at: { json: ['command'] } },
      parts: [{ literal: 'slash_command' }],
      detail: [{ json: ['command'] }],
    },
    {
      parts: [{ json: ['type'] }],
      detail: [
        { json: ['view', 'callback_id'] },
        { json: ['callback_id'] },
        { json: ['actions', '0', 'action_id'] },
      ],
    },
  ],
  occurredAt: [{ json: ['event', 'event_ts'] }, { json: ['event_time'] }, { json: ['action_ts'] }],
  // In a shared channel `team_id` may be the other workspace: `authorizations` names the installation that was told.
  accounts: [
    {
      key: 'team',
      from: [{ json: ['authorizations', '0', 'team_id'] }, { json: ['team_id'] }, { json: ['team', 'id'] }],
    },
    {
      key: 'enterprise',
      from: [
        { json: ['authorizations', '0', 'enterprise_id'] },
        { json: ['enterprise_id'] },
        { json: ['enterprise', 'id'] },
      ],
    },
  ],
  refs: {
    message: 'message.received',
    'message.file_share': 'message.received',
    'message.thread_broadcast': 'message.received',
    'message.me_message': 'message.received',
    'message.message_changed': 'message.updated',
    'message.message_deleted': 'message.deleted',
    app_mention: 'message.received',
    reaction_added: 'item.updated',
    reaction_removed: 'item.updated',
    file_shared: 'file.created',
    file_change: 'file.updated',
    file_deleted: 'file.deleted',
    tokens_revoked: 'binding.degraded',
    app_uninstalled: 'binding.degraded',
    app_rate_limited: 'binding.degraded',
  },
  states: {
    tokens_revoked: 'revoked',
    app_uninstalled: 'revoked',
    // Over 30,000 events an hour Slack leaves the rest out: the link stands, but what came is not all.
    app_rate_limited: 'deliveries_missed',
  },
  // The body of an answer to a command or a view is shown or obeyed by Slack, so there is none.
  answer: { status: 200, body: '' },
  samples: {
    message: callback({
      type: 'message',
      channel: 'C0EXAMPLE',
      user: 'U0EXAMPLE',
      text: 'Lunch at noon?',
      ts: '1750000000.000100',
      event_ts: '1750000000.000100',
    }),
    'message.message_changed': callback({
      type: 'message',
      subtype: 'message_changed',
      channel: 'C0EXAMPLE',
      message: { type: 'message', user: 'U0EXAMPLE', text: 'Lunch at one?', ts: '1750000000.000100' },
      event_ts: '1750000060.000200',
    }),
    tokens_revoked: callback({ type: 'tokens_revoked', tokens: { oauth: ['U0EXAMPLE'], bot: [] } }),
    app_uninstalled: callback({ type: 'app_uninstalled' }),
    url_verification: {
      body: { type: 'url_verification', token: 'not-a-secret', challenge: 'sample-challenge' },
    },
  },
};
