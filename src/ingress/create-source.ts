import { CodedError } from '../domain/errors.ts';
import { createAnnouncementMapper } from './create-announcement-mapper.ts';
import { createVendorMapper } from './create-vendor-mapper.ts';
import { schemeOf } from './scheme-of.ts';
import type { Source, SourceSettings } from './source.ts';
import { findProfile } from './vendors/find-profile.ts';
import { createHmacVerifier } from './verify/create-hmac-verifier.ts';
import { readKey } from './verify/read-key.ts';

/**
 * Settles at start everything about one source that no delivery changes.
 *
 * @param secrets its live secrets, resolved; any may have signed a delivery
 * @throws CodedError SECRET_UNUSABLE by the source's name where one can't be a key: nothing is ever accepted because
 *   nothing was configured. CONFIG_INVALID for a vendor we do not know or a webhook source without a pack.
 */
export const createSource = (settings: SourceSettings, secrets: readonly string[]): Source => {
  const scheme = schemeOf(settings);
  const keys = secrets.map((secret, index) => {
    const read = readKey(scheme.key, secret);
    if ('key' in read) return read.key;
    throw new CodedError('SECRET_UNUSABLE', `Source ${settings.id}: secrets[${index}] ${read.fault}`);
  });
  if (keys.length === 0) throw new CodedError('SECRET_UNUSABLE', `Source ${settings.id} has no secret`);

  const verify = createHmacVerifier(scheme, keys);
  const whose = {
    source: settings.id,
    binding: settings.binding ?? null,
    workspace: settings.cwd ?? null,
  };
  if (settings.type === 'vendor') {
    const profile = findProfile(settings.vendor);
    const { takesForms, handshakes, answer } = profile;
    const map = createVendorMapper({
      ...whose,
      pack: settings.pack,
      profile,
      refs: settings.refs ?? profile.refs,
    });
    return { id: settings.id, takesForms, verify, handshakes, map, answer };
  }

  const packs = settings.packs ?? (settings.pack === undefined ? [] : [settings.pack]);
  if (packs.length === 0)
    throw new CodedError('CONFIG_INVALID', `Source ${settings.id} names no pack: set pack or packs`);
  const map = createAnnouncementMapper(
    { ...whose, packs, namesPack: settings.packs !== undefined },
    settings.signature === undefined ? 'webhook-id' : null,
  );
  return { id: settings.id, takesForms: false, verify, handshakes: [], map, answer: null };
};
