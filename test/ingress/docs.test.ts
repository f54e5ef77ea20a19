import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { findProfile } from '../../src/ingress/vendors/find-profile.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/ingress.md'), 'utf8');

test.each(['github', 'slack', 'stripe'])(
  'docs/ingress.md names every account key, ref and state of %s',
  (vendor) => {
    const profile = findProfile(vendor);
    const section = page.split(`### ${vendor}`)[1]?.split('\n## ')[0]?.split('\n### ')[0] ?? '';
    for (const { key } of profile.accounts) expect(section).toContain(`${key}:`);
    for (const word of [...Object.values(profile.refs), ...Object.values(profile.states)])
      expect(section).toContain(`\`${word}\``);
  },
);
