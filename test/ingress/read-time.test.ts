import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readTime } from '../../src/ingress/read-time.ts';

describe('readTime', () => {
  test.each([
    [1_750_000_000, '2025-06-15T15:06:40.000Z'],
    [1_750_000_000_123, '2025-06-15T15:06:40.123Z'],
    [1_750_000_000_123_456, '2025-06-15T15:06:40.123Z'],
    ['1750000000', '2025-06-15T15:06:40.000Z'],
    ['1750000000.000200', '2025-06-15T15:06:40.000Z'],
    ['2025-06-15T15:06:40Z', '2025-06-15T15:06:40.000Z'],
    ['2025-06-15t17:06:40.5+02:00', '2025-06-15T15:06:40.500Z'],
    ['2025-06-15T17:06:40+0200', '2025-06-15T15:06:40.000Z'],
    ['2025-06-15T15:06:40.123456789Z', '2025-06-15T15:06:40.123Z'],
    ['2025-06-15T15:06', '2025-06-15T15:06:00.000Z'],
    ['2025-06-15 15:06:40', '2025-06-15T15:06:40.000Z'],
    ['2026-01-01 00:00:00 UTC', '2026-01-01T00:00:00.000Z'],
    ['2025-06-15 17:06:40 +0200', '2025-06-15T15:06:40.000Z'],
    ['2025-06-15', '2025-06-15T00:00:00.000Z'],
    ['Sun, 15 Jun 2025 15:06:40 GMT', '2025-06-15T15:06:40.000Z'],
    ['15 Jun 2025 17:06:40 +0200', '2025-06-15T15:06:40.000Z'],
  ])('%j is %s', (value, expected) => {
    expect(readTime(value)).toBe(expected);
  });

  test.each([
    [''],
    ['yesterday'],
    ['foo 1'],
    ['0000-01-01T00:00:00Z'],
    ['2025-13-45T99:99:99Z'],
    ['2025-06-15\u0000'],
    [1e30],
    [Number.NaN],
    [null],
    [undefined],
    [true],
    [{ at: 1 }],
    [[1]],
  ])('%j can not be read and is no refusal', (value) => {
    expect(readTime(value)).toBeNull();
  });

  test('whatever stands there, it is RFC 3339 or null', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.anything(), fc.double(), fc.string(), fc.date({ noInvalidDate: true }).map(String)),
        (value) => {
          const time = readTime(value);
          expect(time === null || /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(time)).toBe(true);
        },
      ),
    );
  });
});
