import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { describeVendors } from '../../scripts/describe-vendors.mjs';
import { describeProfile } from '../../src/ingress/vendors/describe-profile.ts';
import { vendorProfiles } from '../../src/ingress/vendors/find-profile.ts';

test('docs/vendors.md says exactly what the profiles say (npm run docs:vendors writes it)', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/vendors.md'), 'utf8');
  expect(page).toBe(describeVendors(vendorProfiles, describeProfile));
});

test.each(vendorProfiles.map((profile) => [profile.vendor, profile] as const))(
  'docs/vendors.md names every account key, ref, state and param of %s',
  (_vendor, profile) => {
    const section = describeProfile(profile);
    for (const { key } of profile.accounts) expect(section).toContain(`${key}:`);
    for (const word of [...Object.values(profile.refs), ...Object.keys(profile.params ?? {})])
      expect(section).toContain(word);
    for (const state of Object.values(profile.states)) expect(section).toContain(`\`${state}\``);
  },
);

test('every state belongs to an event that becomes binding.degraded or binding.restored', () => {
  for (const { vendor, refs, states } of vendorProfiles)
    for (const event of Object.keys(states)) {
      const start = event.replace(/\*$/, '');
      const of = Object.entries(refs).filter(
        ([name]) => name.startsWith(start) || start.startsWith(name.replace(/\*$/, '')),
      );
      expect([vendor, event, of.some(([, ref]) => ref.startsWith('binding.'))]).toEqual([
        vendor,
        event,
        true,
      ]);
    }
});
