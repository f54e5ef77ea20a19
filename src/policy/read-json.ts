import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Finding, PackFileName, Path } from './finding.ts';
import { formatPath } from './format-path.ts';
import { locateInJson, positionAt } from './locate-in-json.ts';

const MAX_DEPTH = 100;

/** One file of a pack as JSON: its value, and a way to say where in the text something stands. */
export type JsonFile = {
  value: unknown;
  find: (path: Path, message: string) => Finding;
};

/** Offset at which nesting exceeds `MAX_DEPTH`. Everything that reads the text afterwards recurses; this must not. */
const findTooDeep = (text: string): number | null => {
  let depth = 0;
  for (const { 0: token, index } of text.matchAll(/"[^"\\\r\n]*(?:\\.[^"\\\r\n]*)*"?|[[{\]}]/gs)) {
    if (token === '[' || token === '{') depth += 1;
    if (token === ']' || token === '}') depth = Math.max(0, depth - 1);
    if (depth > MAX_DEPTH) return index;
  }
  return null;
};

type BadKey = { path: Path; offset: number; message: string };

/**
 * Members that readers of JSON disagree about: of two of one name, which counts; of `__proto__`, whether it is a member
 * at all. Neither can be trusted in a file that says what is allowed.
 */
const findBadKeys = (node: Node, path: Path = []): BadKey[] => {
  if (node.type === 'array')
    return (node.children ?? []).flatMap((child, i) => findBadKeys(child, [...path, i]));
  if (node.type !== 'object') return [];
  const seen = new Set<string>();
  return (node.children ?? []).flatMap((property) => {
    const [name, value] = property.children ?? [];
    const key = String(name?.value);
    const here = [...path, key];
    const found: BadKey[] = [];
    if (seen.has(key)) {
      found.push({
        path: here,
        offset: property.offset,
        message: `key ${JSON.stringify(key)} appears twice`,
      });
    }
    if (key === '__proto__')
      found.push({ path: here, offset: property.offset, message: 'key "__proto__" is refused' });
    seen.add(key);
    return value === undefined ? found : [...found, ...findBadKeys(value, here)];
  });
};

const describeSyntaxError = (error: ParseError | undefined): string =>
  error === undefined
    ? 'is not JSON'
    : `is not JSON: ${printParseErrorCode(error.error)
        .replace(/([a-z])([A-Z])/g, '$1 $2')
        .toLowerCase()}`;

/**
 * Reads one file of a pack. `JSON.parse` judges, since other runtimes read the pack with it; jsonc-parser says where.
 * Never throws.
 * @param text the file's text, or null where there is no such file
 */
export const readJson = (
  file: PackFileName,
  given: string | null,
): { json: JsonFile | null; faults: Finding[] } => {
  const fault = (text: string, offset: number, message: string): Finding => ({
    file,
    path: '$',
    ...positionAt(text, offset),
    message,
  });
  if (given === null) return { json: null, faults: [fault('', 0, `${file} is missing`)] };
  const marked = given.startsWith('\ufeff');
  const text = marked ? given.slice(1) : given;
  const faults = marked
    ? [fault(text, 0, 'begins with a byte order mark; save it as UTF-8 without one')]
    : [];
  const tooDeep = findTooDeep(text);
  if (tooDeep !== null) {
    return {
      json: null,
      faults: [...faults, fault(text, tooDeep, `is nested deeper than ${MAX_DEPTH} levels`)],
    };
  }

  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const first = errors[0];
    return { json: null, faults: [...faults, fault(text, first?.offset ?? 0, describeSyntaxError(first))] };
  }
  const show = (path: Path): string => {
    const text = formatPath(path);
    return text === '' || text.startsWith('[') ? `$${text}` : `$.${text}`;
  };
  const find = (path: Path, message: string): Finding => ({
    file,
    path: show(path),
    ...locateInJson(text, root, path),
    message,
  });
  const badKeys = root === undefined ? [] : findBadKeys(root);
  faults.push(
    ...badKeys.map(({ path, offset, message }) => ({ ...fault(text, offset, message), path: show(path) })),
  );
  return { json: { value, find }, faults };
};
