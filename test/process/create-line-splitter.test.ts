import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLineSplitter } from '../../src/process/create-line-splitter.ts';

const split = (chunks: readonly Buffer[], maxBytes = 1024) => {
  const splitter = createLineSplitter(maxBytes);
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
};
const cut = (bytes: Buffer, at: readonly number[]): Buffer[] => {
  const marks = [0, ...at.map((mark) => mark % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return marks.slice(1).map((mark, index) => bytes.subarray(marks[index], mark));
};
const texts = (lines: ReturnType<typeof split>) => lines.map(({ bytes }) => bytes.toString());

describe('lines of a pack process', () => {
  test('S21: any chunking yields the same lines, also one cut inside a character', () => {
    const line = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replace(/[\r\n]/g, ''));
    fc.assert(
      fc.property(
        fc.array(line.map((text) => text.toWellFormed())),
        fc.constantFrom('\n', '\r\n'),
        fc.boolean(),
        fc.array(fc.nat(), { maxLength: 30 }),
        (lines, end, ended, at) => {
          const whole = lines.map((text) => text + end).join('');
          const bytes = Buffer.from(ended ? whole : whole.slice(0, whole.length - end.length));
          const last = lines.at(-1);
          // An empty last line without its end is no line at all.
          const expected = !ended && last === '' ? lines.slice(0, -1) : lines;
          expect(texts(split(cut(bytes, at)))).toEqual(expected);
        },
      ),
    );
  });

  test('S21: one byte at a time', () => {
    const bytes = Buffer.from('{"a":"ü€😀"}\r\nzwei\n\ndrei');
    const lines = split([...bytes].map((byte) => Buffer.of(byte)));
    expect(texts(lines)).toEqual(['{"a":"ü€😀"}', 'zwei', '', 'drei']);
    expect(lines.map(({ no }) => no)).toEqual([1, 2, 3, 4]);
  });

  test('S21: the rest of an over-long line is let pass, in bounded memory, and the next line lives', () => {
    const splitter = createLineSplitter(8);
    const chunk = Buffer.alloc(64 * 1024, 0x61);
    for (let round = 0; round < 200; round += 1) expect(splitter.push(chunk)).toEqual([]);
    const lines = [...splitter.push(Buffer.from('end\nnext\n12345678\n123456789\n')), ...splitter.end()];
    expect(lines.map(({ bytes, whole }) => [bytes.toString(), whole])).toEqual([
      ['aaaaaaaa', false],
      ['next', true],
      ['12345678', true],
      ['12345678', false],
    ]);
  });

  test('a line without end and without room is still told', () => {
    expect(split([Buffer.from('abcdefgh')], 4)).toMatchObject([{ no: 1, whole: false }]);
  });
});
