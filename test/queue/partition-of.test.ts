import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partitionOf } from '../../src/queue/partition-of.ts';

describe('partitionOf', () => {
  // Vectors: processes of different versions share partitions during an upgrade, so these may never change.
  it.each([
    ['github', ['installation:77', 'repository:3'], null, 4, 0],
    ['github', ['repository:3'], null, 4, 2],
    ['mail-hook', ['inbox@example.com'], null, 4, 2],
    ['watcher', [], 'bnd_ws', 4, 1],
    ['watcher', [], null, 4, 1],
    ['slack', ['T024BE7LH'], null, 256, 25],
    ['slack', ['T024BE7LH'], null, 1, 0],
  ] as const)('G8: %s %j %s of %i is %i', (source, accounts, binding, partitions, expected) => {
    expect(partitionOf({ source, accounts, binding }, partitions)).toBe(expected);
  });

  it('G8: depends on source and first account (or fixed Binding) alone', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.array(fc.string()),
        fc.integer({ min: 1, max: 256 }),
        (s, a, more, n) => {
          const one = partitionOf({ source: s, accounts: [a, ...more], binding: null }, n);
          expect(one).toBe(partitionOf({ source: s, accounts: [a], binding: null }, n));
          expect(partitionOf({ source: s, accounts: more, binding: a }, n)).toBe(one);
          expect(one).toBeGreaterThanOrEqual(0);
          expect(one).toBeLessThan(n);
        },
      ),
    );
  });

  it('spreads accounts over all partitions', () => {
    const counts = new Array<number>(8).fill(0);
    for (let i = 0; i < 8000; i += 1) {
      const at = partitionOf({ source: 'github', accounts: [`installation:${i}`], binding: null }, 8);
      counts[at] = (counts[at] ?? 0) + 1;
    }
    for (const count of counts) expect(count).toBeGreaterThan(800);
  });
});
