import { jira } from './jira.ts';
import type { VendorProfile } from './profile.ts';

/**
 * Webhooks that an OAuth 2.0 app registers (`/rest/api/3/webhook`):
 * https://developer.atlassian.com/cloud/jira/platform/webhooks/#webhooks-authentication-for-oauth-2-0-apps.
 * The token is the app's, the same for every site, and nothing of the request is bound to it.
 */
export const jiraDynamic: VendorProfile = {
  ...jira,
  vendor: 'jira-dynamic',
  about: {
    name: 'Jira webhooks of an OAuth 2.0 app',
    docs: 'https://developer.atlassian.com/cloud/jira/platform/webhooks/',
    setUp: 'Dynamic webhooks registered by the app (`/rest/api/3/webhook`) with this URL, without a query.',
    secret: 'The client secret of the app.',
    answerSeconds: null,
    notes: [
      'The body is not bound to the token: whoever sees one can send any body until it expires.',
      'Webhooks end in silence 30 days after they were made or refreshed.',
      'Failed deliveries can be listed at Jira for 72 hours.',
    ],
    unconfirmed: [
      'What the token claims, which Atlassian does not say: HS256 and an expiry are asked for, and no issuer.',
      'That `self` URLs are those of the site, which the account key is made of.',
    ],
  },
  proof: {
    kind: 'jwt',
    at: { header: 'authorization', prefix: 'Bearer ' },
    algorithm: 'HS256',
    keys: 'secrets',
    audience: null,
  },
  accounts: jira.accounts.filter(({ key }) => key === 'site'),
  samples: {},
};
