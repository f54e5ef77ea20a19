import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTokenBucket } from '../../src/ingress/create-token-bucket.ts';

describe('a token bucket', () => {
  test('lets its burst through at once, then its pace, and says how long to wait', () => {
    let now = 5_000;
    const take = createTokenBucket({ perSecond: 2, burst: 3 }, () => now);
    expect([take(), take(), take(), take()]).toEqual([0, 0, 0, 500]);
    now += 500;
    expect([take(), take()]).toEqual([0, 500]);
    now += 60_000;
    expect([take(), take(), take(), take()]).toEqual([0, 0, 0, 500]);
  });

  test('takes less than one in a second', () => {
    let now = 0;
    const take = createTokenBucket({ perSecond: 0.5, burst: 1 }, () => now);
    expect([take(), take()]).toEqual([0, 2000]);
    now = 1_999;
    expect(take()).toBe(1);
    now = 2_000;
    expect(take()).toBe(0);
  });

  test('never lets more through than burst and pace, and always after the wait that it named', () => {
    const pace = fc.record({
      perSecond: fc.double({ min: 0.1, max: 1_000, noNaN: true }),
      burst: fc.integer({ min: 1, max: 50 }),
    });
    fc.assert(
      fc.property(pace, fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 200 }), (given, gaps) => {
        let now = 1_000;
        let passed = 0;
        const take = createTokenBucket(given, () => now);
        for (const gap of gaps) {
          now += gap;
          const wait = take();
          if (wait === 0) passed += 1;
          else {
            now += wait;
            expect(take()).toBe(0);
            passed += 1;
          }
          expect(passed).toBeLessThanOrEqual(given.burst + ((now - 1_000) / 1_000) * given.perSecond + 0.01);
        }
      }),
    );
  });
});
