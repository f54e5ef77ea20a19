import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRateGate } from '../../src/process/create-rate-gate.ts';
import { restartDelay } from '../../src/process/restart-delay.ts';

const unit = fc.double({ min: 0, max: 1, noNaN: true });

test('a restart waits from half a second to a minute, longer after each bad run, with jitter', () => {
  expect([1, 2, 3, 8, 100].map((runs) => restartDelay(runs, 1))).toEqual([500, 1000, 2000, 60_000, 60_000]);
  expect(restartDelay(1, 0)).toBe(250);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000 }), unit, unit, (runs, a, b) => {
      const delay = restartDelay(runs, a);
      expect(delay).toBeGreaterThanOrEqual(250);
      expect(delay).toBeLessThanOrEqual(60_000);
      expect(restartDelay(runs + 1, b)).toBeGreaterThanOrEqual(restartDelay(runs, 1) / 2);
    }),
  );
});

test('a gate lets a burst through, then so many a minute, and counts the rest', () => {
  let now = 0;
  const gate = createRateGate({ burst: 3, perMinute: 60, clock: () => now });
  expect([1, 2, 3, 4, 5].map(() => gate.pass())).toEqual([true, true, true, false, false]);
  expect(gate.takeHeld()).toBe(2);
  now += 1000;
  expect([gate.pass(), gate.pass()]).toEqual([true, false]);
  now += 3_600_000;
  expect([1, 2, 3, 4].map(() => gate.pass())).toEqual([true, true, true, false]);
});
