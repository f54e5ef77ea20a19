import { LineCounter, parseDocument } from 'yaml';
import { CodedError } from '../domain/errors.ts';
import { locateInYaml } from './locate-in-yaml.ts';

/** A YAML file's value, and the line on which a path of it stands. */
export type YamlFile = { value: unknown; lineOf: (path: readonly PropertyKey[]) => number };

/**
 * Parses a YAML text. Warnings of the parser (a tag that nothing resolves) count as errors: what we may have understood
 * otherwise than it was meant is not taken.
 * @param label how messages call the file
 * @throws CONFIG_YAML with line and column of the first error; further ones are its faults
 */
export const readYaml = (text: string, label: string): YamlFile => {
  const lines = new LineCounter();
  // Pretty errors quote the file, and what is quoted may be a secret that was pasted into the wrong place.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [first, ...others] = [...document.errors, ...document.warnings].map(({ pos, message }) => {
    const { line, col } = lines.linePos(pos[0]);
    return `${label} line ${line}, column ${col}: ${message.replace(/\.$/, '')}`;
  });
  if (first !== undefined) throw new CodedError('CONFIG_YAML', first, { faults: others });
  try {
    // An alias may not expand to more than this; see https://en.wikipedia.org/wiki/Billion_laughs_attack
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return { value, lineOf: (path) => locateInYaml(document, lines, path) };
  } catch (cause) {
    throw new CodedError('CONFIG_YAML', `${label}: an alias cannot be resolved`, { cause });
  }
};
