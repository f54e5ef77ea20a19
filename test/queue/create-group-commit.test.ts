import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createGroupCommit } from '../../src/queue/create-group-commit.ts';

type Flight = { items: readonly number[]; land: () => void; crash: (error: Error) => void };

/** Batches that stay under way until the test says how they end. */
const controlled = (limits: { maxItems: number; maxBytes: number }, sizeOf = (_item: number) => 1) => {
  const flights: Flight[] = [];
  const group = createGroupCommit<number>({
    commit: (items) =>
      new Promise((land, crash) => {
        flights.push({ items, land, crash });
      }),
    sizeOf,
    ...limits,
  });
  return { group, flights };
};

const tick = () => new Promise((resolve) => setImmediate(resolve));
const roomy = { maxItems: 100, maxBytes: 1e6 };

describe('createGroupCommit', () => {
  it('lets a lone item leave at once, and what arrives meanwhile ride together', async () => {
    const { group, flights } = controlled(roomy);
    const first = group.push([1]);
    expect(flights.map(({ items }) => items)).toEqual([[1]]);
    const rest = [group.push([2]), group.push([3, 4])];
    expect(flights).toHaveLength(1);
    expect(group.backlog()).toEqual({ items: 3, bytes: 3 });
    flights[0]?.land();
    await first.done;
    await tick();
    expect(flights.map(({ items }) => items)).toEqual([[1], [2, 3, 4]]);
    flights[1]?.land();
    await Promise.all(rest.map(({ done }) => done));
    await group.settled();
    expect(group.backlog()).toEqual({ items: 0, bytes: 0 });
  });

  it('fails exactly the callers of the batch that failed', async () => {
    const { group, flights } = controlled(roomy);
    const first = group.push([1]);
    const second = group.push([2]);
    const third = group.push([3]);
    flights[0]?.land();
    await first.done;
    await tick();
    flights[1]?.crash(new Error('store away'));
    await expect(second.done).rejects.toThrow('store away');
    await expect(third.done).rejects.toThrow('store away');
    const fourth = group.push([4]);
    await tick();
    flights[2]?.land();
    await fourth.done;
  });

  it('never sends what its caller has given up, and forgets it', async () => {
    const { group, flights } = controlled(roomy);
    group.push([1]);
    group.push([2]).abandon();
    const third = group.push([3]);
    flights[0]?.land();
    await tick();
    expect(flights[1]?.items).toEqual([3]);
    flights[1]?.land();
    await third.done;
    expect(group.backlog()).toEqual({ items: 0, bytes: 0 });
  });

  it('sends nothing more of a call of which a part has failed', async () => {
    const { group, flights } = controlled({ maxItems: 1, maxBytes: 10 });
    const call = group.push([1, 2]);
    flights[0]?.crash(new Error('no'));
    await expect(call.done).rejects.toThrow('no');
    await group.settled();
    expect(flights).toHaveLength(1);
  });

  it('is done with an empty call at once', async () => {
    const { group, flights } = controlled(roomy);
    await group.push([]).done;
    expect(flights).toHaveLength(0);
  });

  it('every item rides in exactly one batch, in order, within the bounds, whatever arrives when', async () => {
    const step = fc.oneof(
      fc.record({ push: fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 9 }) }),
      fc.record({ land: fc.constant(true) }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 80 }),
        async (steps, maxItems, maxBytes) => {
          const sizes: number[] = [];
          const { group, flights } = controlled({ maxItems, maxBytes }, (item) => sizes[item] ?? 0);
          const calls: { items: number[]; isDone: boolean }[] = [];
          let landed = 0;
          const land = async () => {
            flights[landed]?.land();
            if (landed < flights.length) landed += 1;
            await tick();
          };
          for (const next of steps) {
            if ('land' in next) {
              await land();
              continue;
            }
            const items = next.push.map((size) => sizes.push(size) - 1);
            const call = { items, isDone: false };
            calls.push(call);
            void group.push(items).done.then(() => {
              call.isDone = true;
            });
          }
          while (landed < flights.length) await land();

          expect(flights.flatMap(({ items }) => items)).toEqual(sizes.map((_, item) => item));
          for (const { items } of flights) {
            expect(items.length).toBeGreaterThan(0);
            expect(items.length).toBeLessThanOrEqual(maxItems);
            const bytes = items.reduce((sum, item) => sum + (sizes[item] ?? 0), 0);
            expect(items.length === 1 || bytes <= maxBytes).toBe(true);
          }
          expect(calls.every(({ isDone }) => isDone)).toBe(true);
          expect(group.backlog()).toEqual({ items: 0, bytes: 0 });
        },
      ),
      { numRuns: 150 },
    );
  });
});
