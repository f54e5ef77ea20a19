import { describe, expect, it, test } from 'vitest';
import { findHookRisks } from '../../src/ingress/find-hook-risks.ts';
import { vendorProfiles } from '../../src/ingress/vendors/find-profile.ts';
import { needsOf } from '../../src/ingress/verify/needs-of.ts';

const url = 'https://hooks.example.com';
const gitlab = { id: 'gl', vendor: 'gitlab' };

describe('what would have a vendor switch a hook off', () => {
  it('a source as it should be has nothing to warn of', () => {
    for (const { vendor } of vendorProfiles)
      expect(findHookRisks({ id: vendor, vendor, silence_after: 3_600_000 }, url)).toEqual([]);
  });

  it.each([
    ['paused', { paused: true }, '503'],
    ['networks', { networks: ['192.0.2.0/24'] }, '403'],
    ['rate_limit', { rate_limit: { per_second: 1 } }, '429'],
  ])('%s, at a vendor that counts such answers', (_key, more, answer) => {
    const [risk, ...others] = findHookRisks({ ...gitlab, ...more }, url);
    expect(others).toEqual([]);
    expect(risk).toMatch(/^source gl: /);
    expect(risk).toContain(answer);
    expect(risk).toContain('GitLab.com switches a hook off');
  });

  it('pending, at a vendor that plants its key', () => {
    const [risk] = findHookRisks({ id: 'as', vendor: 'asana', pending: true }, url);
    expect(risk).toMatch(/^source as: it is pending.*401.*Asana deletes/);
  });

  it('not at one that does not, as far as its profile says', () => {
    expect(findHookRisks({ id: 'gh', vendor: 'github', paused: true, pending: true }, url)).toEqual([]);
    // Zoom is validated with an answer that a paused source gives as well.
    expect(findHookRisks({ id: 'z', vendor: 'zoom', paused: true }, url)).toEqual([]);
    expect(findHookRisks({ id: 'z', vendor: 'zoom', networks: ['192.0.2.0/24'] }, url)).toHaveLength(1);
  });

  it('a missing public_url, where the URL is signed', () => {
    for (const { vendor, proof, about } of vendorProfiles)
      expect(findHookRisks({ id: vendor, vendor, silence_after: 1 }, null)).toHaveLength(
        about.switchesOff !== undefined && needsOf(proof).url ? 1 : 0,
      );
  });
});

test('a refusal that is answered like a yes is only seen by who watches for silence', () => {
  const silent = vendorProfiles.flatMap(({ vendor }) => findHookRisks({ id: vendor, vendor }, url));
  expect(silent).toEqual([expect.stringMatching(/^source microsoft-graph: .*set silence_after/)]);
});

test('every vendor that switches off says when, in a sentence', () => {
  const said = vendorProfiles.flatMap(({ about }) => about.switchesOff ?? []);
  expect(said.length).toBeGreaterThan(0);
  for (const { on, how } of said) {
    expect(on.length).toBeGreaterThan(0);
    expect(how).toMatch(/^[A-Z].*\.$/);
  }
});
