import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type LineCounter } from 'yaml';

/**
 * The line, from 1, on which a path stands: of the key where it has one, else of the item. Of a path that does not exist,
 * the nearest place above it that does, so that something missing is reported where it belongs.
 */
export const locateInYaml = (
  document: Document,
  lines: LineCounter,
  path: readonly PropertyKey[],
): number => {
  let node: unknown = document.contents;
  let line = lineOf(node, lines) ?? 1;
  for (const part of path) {
    const whole: unknown = isAlias(node) ? node.resolve(document) : node;
    if (isMap(whole)) {
      const pair = whole.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
      if (pair === undefined) return line;
      line = lineOf(pair.key, lines) ?? line;
      node = pair.value;
    } else if (isSeq(whole) && typeof part === 'number') {
      node = whole.items[part];
      line = lineOf(node, lines) ?? line;
    } else {
      return line;
    }
  }
  return line;
};

const lineOf = (node: unknown, lines: LineCounter): number | undefined =>
  isNode(node) && node.range ? lines.linePos(node.range[0]).line : undefined;
