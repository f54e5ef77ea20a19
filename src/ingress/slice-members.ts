import { skipString } from './skip-string.ts';

/** From (inclusive) and to (exclusive), as `text.slice` takes them. */
export type Span = readonly [from: number, to: number];

const skipBlank = (text: string, start: number): number => {
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at += 1;
  }
};

/** The index after the value that begins at `start`. */
const skipValue = (text: string, start: number): number => {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = skipString(text, at) - 1;
        if (depth === 0) return at + 1;
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        // One that we did not open closes the container around a number, true, false or null.
        if (depth === 0) return at;
        depth -= 1;
        if (depth === 0) return at + 1;
        break;
      case 0x2c: // ,
      case 0x20:
      case 0x0a:
      case 0x0d:
      case 0x09:
        if (depth === 0) return at;
        break;
    }
  }
  return text.length;
};

/** Calls `visit` at each item of the container at `start`; `visit` returns the index after its item. */
const eachItem = (text: string, start: number, close: number, visit: (at: number) => number): void => {
  let at = skipBlank(text, skipBlank(text, start) + 1);
  while (text.charCodeAt(at) !== close) {
    at = skipBlank(text, visit(at));
    if (text.charCodeAt(at) === 0x2c) at = skipBlank(text, at + 1);
  }
};

/**
 * Where the values of an object's own members stand in its text, so that a payload can be passed on as the very
 * characters that were sent (G9). Keys are decoded and the last of doubled keys wins, as `JSON.parse` has it.
 *
 * @param text text that `JSON.parse` has accepted; `start` is where an object in it begins, blanks before it allowed
 */
export const sliceMembers = (text: string, start = 0): Map<string, Span> => {
  const members = new Map<string, Span>();
  eachItem(text, start, 0x7d, (at) => {
    const keyEnd = skipString(text, at);
    const raw = text.slice(at + 1, keyEnd - 1);
    const key = raw.includes('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
    const from = skipBlank(text, skipBlank(text, keyEnd) + 1);
    const to = skipValue(text, from);
    members.set(key, [from, to]);
    return to;
  });
  return members;
};

/** Where the elements of an array stand in its text; else as `sliceMembers`. */
export const sliceElements = (text: string, start = 0): Span[] => {
  const elements: Span[] = [];
  eachItem(text, start, 0x5d, (from) => {
    const to = skipValue(text, from);
    elements.push([from, to]);
    return to;
  });
  return elements;
};
