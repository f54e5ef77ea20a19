import type { KnownVendors } from '../config/check-references.ts';
import { findSourceFaults } from '../ingress/find-source-faults.ts';
import { vendorNames } from '../ingress/vendors/find-profile.ts';

/** The vendor profiles, and what they ask of a source as far as the configuration itself can tell. */
export const knownVendors: KnownVendors = {
  names: vendorNames,
  findFaults: (source, publicUrl) =>
    findSourceFaults(source, {
      params: new Set(Object.keys(source.params)),
      hasSecret: source.secrets.length > 0,
      isPlanted: null,
      publicUrl: publicUrl ?? null,
    }),
};
