import { schemeOf } from './scheme-of.ts';
import type { SourceSettings } from './source.ts';
import { findProfile } from './vendors/find-profile.ts';
import { signHmac } from './verify/sign-hmac.ts';

/** The headers whose value is the delivery's id, where the sender of this source uses one. */
const idHeaders = (settings: SourceSettings): string[] => {
  if (settings.type === 'webhook') return settings.signature === undefined ? ['webhook-id'] : [];
  return findProfile(settings.vendor).deliveryId.flatMap((place) =>
    'header' in place ? [place.header] : [],
  );
};

/**
 * The headers of a delivery as the sender that this source expects would make them: its id, its time, its signature.
 *
 * @param delivery `now` in milliseconds since 1970
 * @throws TypeError where the secret can't be a key
 */
export const signDelivery = (
  settings: SourceSettings,
  secret: string,
  delivery: { id: string; raw: Buffer; now: number; headers?: Readonly<Record<string, string>> },
): Record<string, string> => {
  const { id, raw, now, headers = {} } = delivery;
  const ids = Object.fromEntries(idHeaders(settings).map((name) => [name, id]));
  return signHmac(schemeOf(settings), secret, {
    headers: { 'content-type': 'application/json', ...headers, ...ids },
    raw,
    now,
  });
};
