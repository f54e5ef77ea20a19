import type { SourceSettings } from './source.ts';
import { findProfile } from './vendors/find-profile.ts';
import type { HmacScheme, SignedPart } from './verify/hmac-scheme.ts';
import { standardWebhooks } from './verify/standard-webhooks.ts';

/** How deliveries of a source are signed; what verifies them and what `send` signs with. */
export const schemeOf = (settings: SourceSettings): HmacScheme => {
  if (settings.type === 'vendor') return findProfile(settings.vendor).signature;
  const { signature } = settings;
  if (signature === undefined) return standardWebhooks;
  const header = signature.header.toLowerCase();
  const timed: SignedPart[] = ['timestamp', { literal: '.' }, 'body'];
  return {
    kind: 'hmac',
    algorithm: signature.algorithm,
    key: 'text',
    signed: signature.timestamp_header === undefined ? ['body'] : timed,
    signature: { header, separator: null, prefix: signature.prefix, encoding: signature.encoding },
    timestamp:
      signature.timestamp_header === undefined ? null : { header: signature.timestamp_header.toLowerCase() },
  };
};
