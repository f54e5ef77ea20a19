import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Finding, type PackFileName, packFileNames } from '../policy/finding.ts';
import { type LintResult, lintPack, type PackFiles } from '../policy/lint-pack.ts';
import { positionAt } from '../policy/locate-in-json.ts';

const readBytes = async (dir: string, name: PackFileName): Promise<Buffer | null> => {
  try {
    return await readFile(join(dir, name));
  } catch {
    return null;
  }
};

/** The byte order mark is kept: lint reports it. What is not UTF-8 becomes U+FFFD, and the first one a fault. */
const decode = (file: PackFileName, bytes: Buffer | null): { text: string | null; fault: Finding | null } => {
  if (bytes === null) return { text: null, fault: null };
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (isUtf8(bytes)) return { text, fault: null };
  const position = positionAt(text, Math.max(0, text.indexOf('\ufffd')));
  return { text, fault: { file, path: '$', ...position, message: 'is not UTF-8' } };
};

/**
 * Reads and lints a pack directory.
 * @returns what lint found, and which of the two files are missing or can't be read
 */
export const readPack = async (dir: string): Promise<LintResult & { missing: PackFileName[] }> => {
  const read = await Promise.all(packFileNames.map(async (name) => decode(name, await readBytes(dir, name))));
  const texts = Object.fromEntries(packFileNames.map((name, index) => [name, read[index]?.text ?? null]));
  const result = lintPack(texts as PackFiles);
  const undecodable = read.flatMap(({ fault }) => (fault === null ? [] : [fault]));
  return {
    pack: undecodable.length > 0 ? null : result.pack,
    faults: [...undecodable, ...result.faults],
    warnings: result.warnings,
    missing: packFileNames.filter((name) => texts[name] === null),
  };
};
