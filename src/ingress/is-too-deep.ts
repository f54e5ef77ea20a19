import { skipString } from './skip-string.ts';

/** Deepest nesting of arrays and objects that we take; everything that walks a payload later is held to it. */
const maxDepth = 100;

/** Whether there are more than `limit` openings at all; finds them by search, so that flat bodies cost next to nothing. */
const opensMoreThan = (text: string, limit: number): boolean => {
  let left = limit;
  for (const open of ['{', '[']) {
    for (let at = text.indexOf(open); at !== -1; at = text.indexOf(open, at + 1)) {
      left -= 1;
      if (left < 0) return true;
    }
  }
  return false;
};

/** Whether JSON text (not yet known to be any) nests deeper than `maxDepth`. A loop: the depth of the text is the sender's. */
export const isTooDeep = (text: string): boolean => {
  if (!opensMoreThan(text, maxDepth)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = skipString(text, at) - 1;
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        if (depth > maxDepth) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
    }
  }
  return false;
};
