import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lands, operations } from '../../src/domain/pack.ts';
import { type LintResult, lintPack } from '../../src/policy/lint-pack.ts';

/** Texts near enough to a pack to get past the first check, and others that are not. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.json(),
  fc.string({
    unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', '\n', '\r', '\u2028', '1', 'a'),
  }),
  fc
    .record(
      {
        id: fc.oneof(fc.constant('mail'), fc.anything()),
        surface_id: fc.oneof(fc.constant('mail'), fc.anything()),
        kind: fc.oneof(fc.constant('sense_only'), fc.anything()),
        verbs: fc.oneof(fc.dictionary(fc.string(), fc.anything()), fc.array(fc.anything()), fc.anything()),
        stimuli: fc.oneof(fc.dictionary(fc.string(), fc.anything()), fc.anything()),
        stimulusTriggers: fc.array(fc.oneof(fc.record({ ref: fc.anything() }), fc.anything())),
        connect: fc.anything(),
        version: fc.oneof(fc.constant(1), fc.anything()),
      },
      { requiredKeys: [] },
    )
    .map(
      (value) =>
        JSON.stringify(value, (_key, inner: unknown) =>
          typeof inner === 'bigint' ? Number(inner) : inner,
        ) ?? '',
    ),
);

const lineCount = (given: string | null): number => (given ?? '').split(/\r\n|\r|\n/).length;

const expectPlaces = (result: LintResult, texts: { surface: string | null; policy: string | null }): void => {
  for (const { file, path, line, column, message } of [...result.faults, ...result.warnings]) {
    expect(path.startsWith('$')).toBe(true);
    expect(line).toBeGreaterThanOrEqual(1);
    expect(line).toBeLessThanOrEqual(lineCount(file === 'surface.json' ? texts.surface : texts.policy));
    expect(column).toBeGreaterThanOrEqual(1);
    expect(message).not.toBe('');
  }
};

describe('lint', () => {
  it('S05: never throws, places every finding on a line of its file, and yields a pack exactly where there is no fault', () => {
    fc.assert(
      fc.property(fc.option(text), fc.option(text), (surface, policy) => {
        const result = lintPack({ 'surface.json': surface, 'policy.json': policy });
        expectPlaces(result, { surface, policy });
        expect(result.pack === null).toBe(result.faults.length > 0);
      }),
      { numRuns: 500 },
    );
  });

  const names = fc.uniqueArray(fc.stringMatching(/^[a-z][a-z0-9_]{0,8}(\.[a-z0-9][a-z0-9_]{0,8})?$/), {
    maxLength: 6,
  });
  const row = fc.record({
    operation: fc.constantFrom(...operations),
    privacy: fc.record({ land: fc.constantFrom(...lands) }),
  });

  it('S01 S06: passes exactly the packs whose two files name the same', () => {
    fc.assert(
      fc.property(names, names, names, names, row, (verbs, rows, refs, stimuli, verbRow) => {
        const trigger = { operation: 'read', privacy: { land: 'brain' } };
        const result = lintPack({
          'surface.json': JSON.stringify({
            id: 'mail',
            verbs: Object.fromEntries(verbs.map((name) => [name, {}])),
            stimulusTriggers: refs.map((ref) => ({ ref })),
          }),
          'policy.json': JSON.stringify({
            surface_id: 'mail',
            verbs: Object.fromEntries(rows.map((name) => [name, verbRow])),
            stimuli: Object.fromEntries(stimuli.map((name) => [name, trigger])),
          }),
        });
        const oneSided = (left: string[], right: string[]): number =>
          left.filter((name) => !right.includes(name)).length;
        expect(result.faults).toHaveLength(
          oneSided(verbs, rows) + oneSided(rows, verbs) + oneSided(refs, stimuli) + oneSided(stimuli, refs),
        );
      }),
    );
  });
});
