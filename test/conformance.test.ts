import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';

/** What the protocol asks of a Sense worker, in our words. A rule is met by a test that names its id in its title. */
const rules: Readonly<Record<string, string>> = {
  S01: 'both files of a pack declare the same triggers',
  S02: 'a ref names a fact, in lower case with dots',
  S03: 'three lands, and the row of Policy says which',
  S04: 'a trigger only reads',
  S05: 'Policy with unknown words does not parse',
  S06: 'Policy belongs to its manifest and covers it both ways',
  S07: 'a sense_only pack has triggers and no verbs',
  S08: 'a pack without triggers loads and announces nothing',
  S09: 'the order of deciding is fixed',
  S10: 'an unknown ref is dropped and reported',
  S11: 'without sense.enable it is dropped',
  S12: 'activation off acknowledges and delivers nothing; Execute is untouched',
  S13: 'inbox, silent, or drop',
  S14: 'every record says whose it is',
  S15: 'recording causes nothing by itself',
  S16: 'Execute is woken after the record',
  S17: 'Sense and Execute have separate grants and code',
  S18: 'brain needs a project, and membership to be surfaced',
  S19: 'local stays in its workspace',
  S20: 'the tenant comes from the authenticated side',
  S21: 'the ways in',
  S22: 'the sinks',
  S23: 'binding.degraded carries a state, and a person connects',
  S24: 'nothing polls',
  S25: 'every kind of Sense passes the one loop',
  S26: 'on: recorded; off: dropped, Execute unchanged',
  S27: 'four capabilities, kept apart',
  S28: 'a wake never confirms',
  S29: 'a wake never connects',
  S30: 'a brain verb without a project is not called',
  S31: 'the envelope of Execute, in and out',
  S32: 'Execute in process or remote',
  S33: 'packs are left as they are',
  S34: 'no type of the protocol is extended',
  S35: 'failing closed',
  S36: 'a mothership Binding needs an elevation',
  S37: 'health of the operator is nobody’s inbox',
  S38: 'product rules stay out of Policy',
};

/** All sinks: the fan-out to webhooks is still to come, so no single test may claim the rule yet. */
const later = ['S22'];

/** Titles of tests and suites, in whatever quotes. */
const titlePattern =
  /\b(?:test|it|describe)(?:\.\w+(?:\([^()]*(?:\([^()]*\))*[^()]*\))?)*\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs;
const idPattern = /\bS\d{1,3}\b/g;

const titles = async (): Promise<{ file: string; title: string }[]> => {
  const root = import.meta.dirname;
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
  const found = await Promise.all(
    files.map(async (file) =>
      [...(await readFile(file, 'utf8')).matchAll(titlePattern)].map(([, , title = '']) => ({
        file: relative(root, file),
        title,
      })),
    ),
  );
  return found.flat();
};

describe('conformance', async () => {
  const all = await titles();

  test('titles are found at all', () => {
    expect(all.length).toBeGreaterThan(100);
    expect(Object.keys(rules)).toHaveLength(38);
  });

  test.each(Object.entries(rules).filter(([id]) => !later.includes(id)))('%s has a test: %s', (id) => {
    const tests = all.filter(({ title }) => title.match(idPattern)?.includes(id));
    expect(tests.map(({ file }) => file)).not.toEqual([]);
  });

  test('no title names a rule that there is not', () => {
    const wrong = all.filter(({ title }) => (title.match(idPattern) ?? []).some((id) => !(id in rules)));
    expect(wrong).toEqual([]);
  });
});
