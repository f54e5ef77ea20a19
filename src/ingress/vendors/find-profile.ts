import { closest } from 'fastest-levenshtein';
import { CodedError } from '../../domain/errors.ts';
import { github } from './github.ts';
import type { VendorProfile } from './profile.ts';
import { slack } from './slack.ts';
import { stripe } from './stripe.ts';

/** Every vendor we know: one file and one line each. */
const profiles: ReadonlyMap<string, VendorProfile> = new Map(
  [github, slack, stripe].map((profile) => [profile.vendor, profile]),
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
