import type { VendorProfile } from './profile.ts';

const confirmation = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
const host = String.raw`sns\.[a-zA-Z0-9-]{3,}\.amazonaws\.com(?:\.cn)?`;

/**
 * AWS SNS over HTTPS: https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html. Every topic of every
 * AWS account is signed with the same certificates: only the topic says whose a message is.
 */
export const awsSns: VendorProfile = {
  vendor: 'aws-sns',
  about: {
    name: 'AWS SNS over HTTPS',
    docs: 'https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html',
    setUp: 'An HTTPS subscription of the topic, without raw message delivery.',
    secret: null,
    answerSeconds: 15,
    notes: [
      'Anybody can subscribe this URL to a topic of theirs: with `params.topic_arn` all others are refused; without it their events match no Binding of yours.',
      'A subscription is confirmed by itself only for `params.topic_arn`.',
      'Raw messages carry no signature and are refused.',
    ],
    unconfirmed: ['Default retry numbers; they can be set for each subscription.'],
  },
  params: {
    topic_arn: { needed: 'binding', means: 'the ARN of the topic, or several with blanks between them' },
  },
  proof: {
    kind: 'allOf',
    of: [
      { kind: 'token', at: { json: ['TopicArn'] }, param: 'topic_arn' },
      {
        kind: 'x509',
        certificate: ['SigningCertURL'],
        url: new RegExp(String.raw`^https://${host}/[A-Za-z0-9_.-]+\.pem$`),
        signature: ['Signature'],
        version: ['SignatureVersion'],
        hashes: { '1': 'RSA-SHA1', '2': 'RSA-SHA256' },
        type: ['Type'],
        fields: {
          Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
          SubscriptionConfirmation: confirmation,
          UnsubscribeConfirmation: confirmation,
        },
      },
    ],
  },
  // JSON that AWS calls text/plain.
  takes: ['json', 'text'],
  handshakes: [
    {
      when: [{ at: { json: ['Type'] }, is: 'SubscriptionConfirmation' }],
      confirms: {
        at: { json: ['SubscribeURL'] },
        url: new RegExp(String.raw`^https://${host}/\?[A-Za-z0-9_.~%&=:+/-]+$`),
        param: 'topic_arn',
      },
      answer: { status: 200 },
    },
  ],
  inner: { at: ['Message'], as: 'text', data: false },
  deliveryId: [{ json: ['MessageId'] }],
  eventId: [{ json: ['MessageId'] }],
  event: [
    // SES, S3 and CloudWatch as they stand in Message.
    { parts: [{ inner: ['notificationType'] }] },
    { parts: [{ inner: ['eventType'] }] },
    { parts: [{ inner: ['Records', '0', 'eventName'] }] },
    {
      when: { at: { inner: ['NewStateValue'] } },
      parts: [{ literal: 'alarm' }, { inner: ['NewStateValue'] }],
    },
    { parts: [{ json: ['Type'] }] },
  ],
  occurredAt: [{ json: ['Timestamp'] }],
  accounts: [{ key: 'topic', from: [{ json: ['TopicArn'] }] }],
  refs: {
    Notification: 'new_item',
    Bounce: 'message.status',
    Complaint: 'message.status',
    Delivery: 'message.status',
    'ObjectCreated:*': 'file.created',
    'ObjectRemoved:*': 'file.deleted',
    'alarm.ALARM': 'alert.opened',
    'alarm.OK': 'alert.closed',
    UnsubscribeConfirmation: 'binding.degraded',
  },
  states: { UnsubscribeConfirmation: 'subscription_removed' },
  answer: null,
  samples: {},
};
