/** One line without its end. Of a line longer than allowed only the first bytes are here, and `whole` is false. */
export type Line = { no: number; bytes: Buffer; whole: boolean };

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Cuts a stream of bytes into lines, wherever its chunks are cut: a character is only decoded once its line is whole.
 * Holds at most `maxBytes`; the rest of a longer line is let pass unread, and the next one is whole again.
 */
export const createLineSplitter = (maxBytes: number) => {
  let parts: Buffer[] = [];
  let held = 0;
  let whole = true;
  let no = 0;

  const keep = (bytes: Buffer): void => {
    const room = maxBytes - held;
    if (bytes.length > room) whole = false;
    if (room === 0 || bytes.length === 0) return;
    const kept = bytes.subarray(0, room);
    parts.push(kept);
    held += kept.length;
  };

  const take = (): Line => {
    no += 1;
    const joined = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
    const line = { no, bytes: joined.at(-1) === carriageReturn ? joined.subarray(0, -1) : joined, whole };
    parts = [];
    held = 0;
    whole = true;
    return line;
  };

  return {
    push(chunk: Buffer): Line[] {
      const lines: Line[] = [];
      let from = 0;
      for (let at = chunk.indexOf(lineFeed); at !== -1; at = chunk.indexOf(lineFeed, from)) {
        keep(chunk.subarray(from, at));
        lines.push(take());
        from = at + 1;
      }
      keep(chunk.subarray(from));
      return lines;
    },
    /** What is left when the stream has ended: a last line without its end, or nothing. */
    end: (): Line[] => (held > 0 || !whole ? [take()] : []),
  };
};
