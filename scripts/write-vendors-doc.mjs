// Writes docs/vendors.md from the profiles; test/ingress/docs.test.ts holds the two together. Run it after a build.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeProfile } from '../dist/src/ingress/vendors/describe-profile.js';
import { vendorProfiles } from '../dist/src/ingress/vendors/find-profile.js';
import { describeVendors } from './describe-vendors.mjs';

writeFileSync(
  join(import.meta.dirname, '..', 'docs', 'vendors.md'),
  describeVendors(vendorProfiles, describeProfile),
);
