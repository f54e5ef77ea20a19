import type { SourceSettings } from './source.ts';
import { findProfile } from './vendors/find-profile.ts';
import type { Proof, SignedPart } from './verify/scheme.ts';
import { standardWebhooks } from './verify/standard-webhooks.ts';

/** What deliveries of a source must prove; what verifies them and what `send` signs with. */
export const schemeOf = (settings: SourceSettings): Proof => {
  if (settings.type === 'vendor') return findProfile(settings.vendor).proof;
  const { signature } = settings;
  if (signature === undefined) return standardWebhooks;
  const header = signature.header.toLowerCase();
  const timed: SignedPart[] = ['timestamp', { literal: '.' }, 'body'];
  const time = signature.timestamp_header?.toLowerCase();
  return {
    kind: 'hmac',
    algorithm: signature.algorithm,
    key: 'text',
    encoding: signature.encoding,
    signed: time === undefined ? ['body'] : timed,
    signature: { header, prefix: signature.prefix },
    ...(time === undefined ? {} : { timestamp: { header: time } }),
  };
};
