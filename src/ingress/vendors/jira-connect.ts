import { jira } from './jira.ts';
import type { VendorProfile } from './profile.ts';

/**
 * Webhooks of an Atlassian Connect app: https://developer.atlassian.com/cloud/jira/platform/understanding-jwt-for-connect-apps/.
 * The token holds for this method, path and query (`qsh`); of the body it says nothing.
 */
export const jiraConnect: VendorProfile = {
  ...jira,
  vendor: 'jira-connect',
  about: {
    name: 'Jira webhooks of a Connect app',
    docs: 'https://developer.atlassian.com/cloud/jira/platform/understanding-jwt-for-connect-apps/',
    setUp: 'Webhooks in the descriptor of the app, whose `baseUrl` is `http.public_url` without a path.',
    secret: 'The `sharedSecret` that the tenant’s installation of the app was given.',
    answerSeconds: null,
    notes: [
      'One source for each tenant: the secret says whose it is, and the body is not bound to it.',
      '`installed` and `uninstalled` are signed with a key of Atlassian’s own and refused here: they belong to the app, which keeps the secrets.',
      'Atlassian is ending Connect; webhooks of OAuth apps are vendor `jira-dynamic`.',
    ],
    unconfirmed: [
      'That `enabled` and `disabled` are signed with the shared secret.',
      'That tokens of webhooks are no older than 15 minutes.',
    ],
  },
  proof: {
    kind: 'jwt',
    at: { header: 'authorization', prefix: 'JWT ' },
    algorithm: 'HS256',
    keys: 'secrets',
    audience: null,
    maxAge: 900,
    binds: { atlassianQsh: 'qsh' },
  },
  accounts: jira.accounts.filter(({ key }) => key === 'site'),
  refs: {
    ...jira.refs,
    uninstalled: 'binding.degraded',
    disabled: 'binding.degraded',
    enabled: 'binding.restored',
  },
  states: { uninstalled: 'revoked', disabled: 'suspended', enabled: 'active' },
  samples: {},
};
