import { schemeOf } from './scheme-of.ts';
import type { SourceSettings } from './source.ts';
import { findProfile } from './vendors/find-profile.ts';
import type { Signed } from './verify/sign-hmac.ts';
import { signProof } from './verify/sign-proof.ts';

/** The headers whose value is the delivery's id, where the sender of this source uses one. */
const idHeaders = (settings: SourceSettings): string[] => {
  if (settings.type === 'webhook') return settings.signature === undefined ? ['webhook-id'] : [];
  return findProfile(settings.vendor).deliveryId.flatMap((place) =>
    'header' in place ? [place.header] : [],
  );
};

/**
 * A delivery as the sender that this source expects would make it: its id, its time, its signature.
 *
 * @param delivery `now` in milliseconds since 1970; `url` as the vendor knows us, for those that sign it
 * @throws TypeError where the secret can't be a key, or only the vendor can sign
 */
export const signDelivery = (
  settings: SourceSettings,
  secret: string,
  delivery: {
    id: string;
    raw: Buffer;
    now: number;
    url?: string;
    headers?: Readonly<Record<string, string>>;
  },
): Signed => {
  const { id, raw, now, url = '', headers = {} } = delivery;
  const ids = Object.fromEntries(idHeaders(settings).map((name) => [name, id]));
  return signProof(schemeOf(settings), secret, {
    ...{ method: 'POST', url, raw, now },
    headers: { 'content-type': 'application/json', ...headers, ...ids },
  });
};
