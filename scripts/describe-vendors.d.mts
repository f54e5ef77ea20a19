import type { VendorProfile } from '../src/ingress/vendors/profile.ts';

/** docs/vendors.md as text. */
export declare const describeVendors: (
  profiles: readonly VendorProfile[],
  describeProfile: (profile: VendorProfile) => string,
) => string;
