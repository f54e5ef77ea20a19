import { findNodeAtLocation, type Node } from 'jsonc-parser';
import type { Path } from './finding.ts';

export type Position = { line: number; column: number };

/** Line and column, from 1, of an offset in a text. CRLF and CR count as one line end. */
export const positionAt = (text: string, offset: number): Position => {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length, column: (before.at(-1) ?? '').length + 1 };
};

/**
 * Where a path stands in a parsed JSON text: the member's name where it has one, else the value. Of a path that does not
 * exist, the nearest place above it that does, so that something missing is reported where it belongs.
 */
export const locateInJson = (text: string, root: Node | undefined, path: Path): Position => {
  for (let length = path.length; root !== undefined && length > 0; length -= 1) {
    const node = findNodeAtLocation(root, [...path.slice(0, length)]);
    if (node === undefined) continue;
    const member = node.parent?.type === 'property' ? node.parent : node;
    return positionAt(text, member.offset);
  }
  return positionAt(text, root?.offset ?? 0);
};
