import { closest } from 'fastest-levenshtein';
import { CodedError } from '../../domain/errors.ts';
import { airtable } from './airtable.ts';
import { asana } from './asana.ts';
import { awsSns } from './aws-sns.ts';
import { bitbucket } from './bitbucket.ts';
import { box } from './box.ts';
import { calcom } from './calcom.ts';
import { calendly } from './calendly.ts';
import { cloudevents } from './cloudevents.ts';
import { discord } from './discord.ts';
import { docusign } from './docusign.ts';
import { dropbox } from './dropbox.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { gmail } from './gmail.ts';
import { googleCalendar } from './google-calendar.ts';
import { googleDrive } from './google-drive.ts';
import { googlePubsub } from './google-pubsub.ts';
import { hubspot } from './hubspot.ts';
import { intercom } from './intercom.ts';
import { jira } from './jira.ts';
import { jiraConnect } from './jira-connect.ts';
import { jiraDynamic } from './jira-dynamic.ts';
import { line } from './line.ts';
import { linear } from './linear.ts';
import { mailgun } from './mailgun.ts';
import { mcpEvents } from './mcp-events.ts';
import { meta } from './meta.ts';
import { microsoftGraph } from './microsoft-graph.ts';
import { notion } from './notion.ts';
import { pagerduty } from './pagerduty.ts';
import type { VendorProfile } from './profile.ts';
import { resend } from './resend.ts';
import { sendgrid } from './sendgrid.ts';
import { sentry } from './sentry.ts';
import { shopify } from './shopify.ts';
import { slack } from './slack.ts';
import { square } from './square.ts';
import { standardWebhooks } from './standard-webhooks.ts';
import { standardWebhooksEd25519 } from './standard-webhooks-ed25519.ts';
import { stripe } from './stripe.ts';
import { svix } from './svix.ts';
import { telegram } from './telegram.ts';
import { trello } from './trello.ts';
import { twilio } from './twilio.ts';
import { typeform } from './typeform.ts';
import { vercel } from './vercel.ts';
import { whatsapp } from './whatsapp.ts';
import { zendesk } from './zendesk.ts';
import { zoom } from './zoom.ts';

/** Every vendor we know: one file and one line each. */
export const vendorProfiles: readonly VendorProfile[] = [
  airtable,
  asana,
  awsSns,
  bitbucket,
  box,
  calcom,
  calendly,
  cloudevents,
  discord,
  docusign,
  dropbox,
  github,
  gitlab,
  gmail,
  googleCalendar,
  googleDrive,
  googlePubsub,
  hubspot,
  intercom,
  jira,
  jiraConnect,
  jiraDynamic,
  line,
  linear,
  mailgun,
  mcpEvents,
  meta,
  microsoftGraph,
  notion,
  pagerduty,
  resend,
  sendgrid,
  sentry,
  shopify,
  slack,
  square,
  standardWebhooks,
  standardWebhooksEd25519,
  stripe,
  svix,
  telegram,
  trello,
  twilio,
  typeform,
  vercel,
  whatsapp,
  zendesk,
  zoom,
];

const profiles: ReadonlyMap<string, VendorProfile> = new Map(
  vendorProfiles.map((profile) => [profile.vendor, profile]),
);

/** Names that `sources[].vendor` may be. */
export const vendorNames: readonly string[] = [...profiles.keys()];

/** @throws CodedError CONFIG_INVALID naming the nearest vendor, where we know none of this name. */
export const findProfile = (vendor: string): VendorProfile => {
  const profile = profiles.get(vendor);
  if (profile !== undefined) return profile;
  throw new CodedError(
    'CONFIG_INVALID',
    `There is no vendor ${vendor}; did you mean ${closest(vendor, vendorNames)}? Known are ${vendorNames.join(', ')}`,
  );
};
