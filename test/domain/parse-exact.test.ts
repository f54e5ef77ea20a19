import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExact } from '../../src/domain/parse-exact.ts';

describe('parseExact', () => {
  it.each([
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['9007199254740991', 9007199254740991],
    ['0.12345678901234567890123', '0.12345678901234567890123'],
    ['1e400', '1e400'],
    ['1e-400', '1e-400'],
    ['1.50', 1.5],
    ['15e-1', 1.5],
    ['1E2', 100],
    ['123456789012345678901234567890', '123456789012345678901234567890'],
    ['100000000000000000000000', 1e23],
    ['-0', -0],
    ['0.000', 0],
    ['null', null],
    ['"9007199254740993"', '9007199254740993'],
  ])('reads %s without changing it', (text, value) => {
    expect(parseExact(text)).toEqual(value);
  });

  it('leaves what stands in strings alone, escapes included', () => {
    const text = String.raw`{"a\"9007199254740993":"\\","b":"x 9007199254740993 \" 1e400","c":[1,9007199254740993]}`;
    expect(parseExact(text)).toEqual({
      'a"9007199254740993': '\\',
      b: 'x 9007199254740993 " 1e400',
      c: [1, '9007199254740993'],
    });
  });

  it('takes strings of a megabyte, plain and all escapes', () => {
    const plain = JSON.stringify('a'.repeat(1024 * 1024));
    const escapes = JSON.stringify('\n"'.repeat(256 * 1024));
    expect(parseExact(plain)).toHaveLength(1024 * 1024);
    expect(parseExact(escapes)).toHaveLength(512 * 1024);
  });

  it('keeps __proto__ an own member', () => {
    const value = parseExact('{"__proto__":{"polluted":1}}') as object;
    expect(Object.hasOwn(value, '__proto__')).toBe(true);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  it.each(['', '{', '01', '1.', '.5', '+1', '1 2', '{"a":1-2}', 'nul'])(
    'refuses %j, which is not JSON',
    (text) => {
      expect(() => parseExact(text)).toThrow(SyntaxError);
    },
  );

  it('is JSON.parse for all that JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(parseExact(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('never yields a number other than the one that was sent', () => {
    const digits = fc.stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,30})?$/);
    fc.assert(
      fc.property(digits, (literal) => {
        const value = parseExact(literal);
        if (typeof value === 'string') expect(value).toBe(literal);
        else expect(sameDecimal(literal, value as number)).toBe(true);
      }),
    );
  });
});

/** Exact comparison with integers: both scaled by the same power of ten. */
const sameDecimal = (literal: string, number: number): boolean => {
  const scaled = (text: string): bigint => {
    const [mantissa = '', exponent = '0'] = text.split('e');
    const [whole = '', fraction = ''] = mantissa.split('.');
    return BigInt(`${whole}${fraction}`) * 10n ** BigInt(60 - fraction.length + Number(exponent));
  };
  return scaled(literal) === scaled(String(number));
};
