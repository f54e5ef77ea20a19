import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isTooDeep } from '../../src/ingress/is-too-deep.ts';
import { sliceElements, sliceMembers } from '../../src/ingress/slice-members.ts';

const blank = fc.stringMatching(/^[ \t\r\n]{0,3}$/);
/** JSON text with blanks, escapes and doubled keys that JSON.stringify would never write. */
const member = fc.tuple(
  fc.oneof(
    fc.constantFrom('"data"', '"\\u0064ata"', '"__proto__"', '"constructor"', '"a\\"b"', '"\\\\"'),
    fc.string().map((key) => JSON.stringify(key)),
  ),
  fc.oneof(
    fc.json(),
    fc.constantFrom(
      '9007199254740993',
      '-0',
      '1e400',
      '0.10',
      '"\\ud800"',
      '"\\u0000"',
      '"\\/"',
      '"\\\\"',
      '"]}"',
      '{"a":1,"a":2}',
      '[ [ ] , { } ]',
      'null',
      'true',
    ),
  ),
  blank,
);
const objectText = fc
  .tuple(fc.array(member, { maxLength: 8 }), blank)
  .map(
    ([members, space]) =>
      `${space}{${space}${members.map(([key, value, gap]) => `${gap}${key}${gap}:${gap}${value}${gap}`).join(',')}}${space}`,
  );

const own = (value: unknown, key: string): unknown =>
  Object.getOwnPropertyDescriptor(Object(value), key)?.value;

describe('sliceMembers', () => {
  test('G9: names the same members as JSON.parse, and each span is the text that was sent', () => {
    fc.assert(
      fc.property(objectText, (text) => {
        const parsed: unknown = JSON.parse(text);
        const members = sliceMembers(text);
        expect([...members.keys()].sort()).toEqual(Object.keys(Object(parsed)).sort());
        for (const [key, [from, to]] of members) {
          const slice = text.slice(from, to);
          expect(slice).toBe(slice.trim());
          expect(JSON.parse(slice)).toEqual(own(parsed, key));
        }
      }),
      { numRuns: 500 },
    );
  });

  test('G9: elements of an array are sliced where JSON.parse sees them', () => {
    fc.assert(
      fc.property(fc.array(objectText, { maxLength: 5 }), blank, (items, space) => {
        const text = `${space}[${space}${items.join(',')}${space}]`;
        const spans = sliceElements(text);
        expect(spans.map(([from, to]) => text.slice(from, to))).toEqual(items.map((item) => item.trim()));
      }),
      { numRuns: 200 },
    );
  });

  test('G9: the last of doubled keys wins, escaped keys are decoded, numbers keep their digits', () => {
    const text = '{"data":1, "\\u0064ata" : {"id":9007199254740993,"a":1,"a":2} }';
    const [from, to] = sliceMembers(text).get('data') ?? [0, 0];
    expect(text.slice(from, to)).toBe('{"id":9007199254740993,"a":1,"a":2}');
  });

  test('deep text is walked without recursion', () => {
    const deep = `{"data":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(sliceMembers(deep).get('data')).toEqual([8, 400_008]);
  });
});

describe('isTooDeep', () => {
  const nest = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;

  test('100 levels pass, 101 do not, wherever they stand', () => {
    expect(isTooDeep(nest(100))).toBe(false);
    expect(isTooDeep(nest(101))).toBe(true);
    expect(isTooDeep(`{"a":${nest(99)}}`)).toBe(false);
    expect(isTooDeep(`{"a":${nest(100)}}`)).toBe(true);
    expect(isTooDeep('{"a":'.repeat(101))).toBe(true);
  });

  test('brackets in strings and side by side are no depth', () => {
    expect(isTooDeep(JSON.stringify('['.repeat(500)))).toBe(false);
    expect(isTooDeep(`["\\"${'['.repeat(500)}\\\\"]`)).toBe(false);
    expect(isTooDeep(`[${Array(500).fill('[]').join(',')}]`)).toBe(false);
  });
});
