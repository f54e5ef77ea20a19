import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { Command } from 'commander';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { describeErrors } from '../scripts/describe-errors.mjs';
import { errorCatalogue } from '../src/domain/errors.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

const filesIn = (folder: string, ...endings: string[]): string[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !path.includes('node_modules') && !path.includes(`results/`))
    .sort();

const ours = ['src', 'examples', 'bench', 'test', 'scripts'].flatMap((folder) =>
  filesIn(folder, '.ts', '.mjs'),
);
const parse = (path: string) => ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true);

/** Files that export several functions, or one of another name, and why. It only gets shorter. */
const severalFunctions: Readonly<Record<string, string>> = {
  'src/api/answer.ts': 'the three forms of one answer',
  'src/api/shapes.ts': 'shapes that several routes share',
  'src/app.ts': 'the ceiling: import rules and readers know it by this name',
  'src/cli/call-api.ts': 'a call and the query it carries',
  'src/cli/find-api.ts': 'the options and what they find',
  'src/config/check-references.ts': 'checks of one pass over the references of a configuration',
  'src/config/check-wakes.ts': 'checks of one pass over wakes and what they may execute',
  'src/config/fields-of.ts': 'three questions to one schema',
  'src/domain/directory-schema.ts': 'the schema, its parser and the id it gives',
  'src/domain/errors.ts': 'the catalogue, the error and its one spelling',
  'src/domain/record.ts': 'one record written, and many',
  'src/ingress/make-sample.ts': 'a sample and the headers that name it',
  'src/ingress/read-place.ts': 'one reading: of a text, of an id, of conditions',
  'src/ingress/slice-members.ts': 'one scan, over objects and over arrays',
  'src/policy/describe-issue.ts': 'one message and its parts',
  'src/policy/locate-in-json.ts': 'one search, by path or by offset',
  'src/queue/open-queue-pool.ts': 'a pool and the address it uses, which the listener uses too',
  'src/queue/queue-names.ts': 'a list of names',
  'src/sinks/surfacing-id.ts': 'an id written and read back',
  'src/store/lock-directory.ts': 'one lock, for a call and for a statement',
  'src/store/record-row.ts': 'a row and what it becomes',
  'src/store/scope.ts': 'a scope and its parameters',
  'src/wake/parse-arg-path.ts': 'a path and how to tell that it is one',
};
const isFunction = (node: ts.Expression | undefined): boolean =>
  node !== undefined && (ts.isArrowFunction(node) || ts.isFunctionExpression(node));

const exportedFunctions = (path: string): string[] =>
  parse(path).statements.flatMap((statement): string[] => {
    const isExported =
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (!isExported) return [];
    if (ts.isFunctionDeclaration(statement)) return [statement.name?.text ?? 'default'];
    if (!ts.isVariableStatement(statement)) return [];
    return statement.declarationList.declarations
      .filter(({ initializer }) => isFunction(initializer))
      .map(({ name }) => name.getText());
  });

const camelCase = (file: string) =>
  basename(file, '.ts').replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

describe('house rules', () => {
  test('a file of src exports one function at most and is named after it', () => {
    const faults = filesIn('src', '.ts').flatMap((path) => {
      const names = exportedFunctions(path);
      if (path in severalFunctions || names.length === 0) return [];
      return names.length === 1 && names[0] === camelCase(path)
        ? []
        : [`${path} exports ${names.join(', ')}`];
    });
    expect(faults).toEqual([]);
  });

  test('the list of exceptions holds no file that needs none', () => {
    expect(
      Object.keys(severalFunctions).filter((path) => {
        const names = exportedFunctions(path);
        return names.length === 0 || (names.length === 1 && names[0] === camelCase(path));
      }),
    ).toEqual([]);
  });

  test('nothing is `any`', () => {
    const faults = ours.flatMap((path) => {
      const found: string[] = [];
      const visit = (node: ts.Node) => {
        if (node.kind === ts.SyntaxKind.AnyKeyword)
          found.push(`${path}: ${node.parent.getText().slice(0, 60)}`);
        ts.forEachChild(node, visit);
      };
      visit(parse(path));
      return found;
    });
    expect(faults).toEqual([]);
  });

  test('no file of src is longer than 300 lines; the median is under 60', () => {
    // The catalogue and the configuration schema are tables.
    const tables = ['src/domain/errors.ts'];
    const lengths = filesIn('src', '.ts').map((path) => ({ path, lines: read(path).split('\n').length }));
    expect(lengths.filter(({ path, lines }) => lines > 300 && !tables.includes(path))).toEqual([]);
    const sorted = lengths.map(({ lines }) => lines).sort((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(60);
  });

  test('names are kebab-case, and no room is called utils, helpers or common', () => {
    const faults = filesIn('src', '.ts').filter(
      (path) =>
        !/^[a-z0-9-]+\.ts$/.test(basename(path)) || /(^|\/)(utils?|helpers?|common|misc)(\.ts|\/)/.test(path),
    );
    expect(faults).toEqual([]);
  });

  test('no test is switched off or alone, and nothing is left to do', () => {
    // Spelled in parts, or this file would find itself.
    const words = new RegExp(`\\.(skip|only|todo)\\(|\\b(TO${'DO'}|FIX${'ME'}|XX${'X'})\\b`);
    const faults = ours.flatMap((path) =>
      read(path)
        .split('\n')
        .flatMap((line, index) => (words.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
    );
    expect(faults).toEqual([]);
  });
});

describe('documents', () => {
  const pages = ['README.md', ...filesIn('docs', '.md')];
  const shellLines = pages.flatMap((page) =>
    [...read(page).matchAll(/^```(?:sh|bash|console)\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) =>
      block.split('\n').map((line) => ({ page, line })),
    ),
  );

  test('docs/errors.md lists exactly the catalogue (npm run docs:errors writes it)', () => {
    expect(read('docs/errors.md')).toBe(describeErrors(errorCatalogue));
  });

  test('every command that the documents show is a command of hcp-sense', async () => {
    const commands = new Set<string>();
    for (const path of filesIn('src/cli', '-command.ts')) {
      const exported: Record<string, unknown> = await import(join(root, path));
      const make = exported[camelCase(path)];
      const command: unknown = typeof make === 'function' ? make() : null;
      if (command instanceof Command) commands.add(command.name());
    }
    const shown = shellLines.flatMap(({ page, line }) =>
      [...line.matchAll(/(?:^|[\s;&|])hcp-sense ([a-z][a-z-]*)/g)].map(([, name = '']) => ({ page, name })),
    );
    expect(shown.length).toBeGreaterThan(0);
    expect(shown.filter(({ name }) => !commands.has(name))).toEqual([]);
  });

  test('every npm script that the documents show exists', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(read('package.json'));
    const shown = shellLines.flatMap(({ page, line }) =>
      [...line.matchAll(/npm run (?:-s |--silent )?([a-z:-]+)/g)].map(([, name = '']) => ({ page, name })),
    );
    expect(shown.filter(({ name }) => !(name in scripts))).toEqual([]);
  });

  test('every dependency earns a line in docs/decisions', () => {
    const manifest: Record<string, Record<string, string> | undefined> = JSON.parse(read('package.json'));
    const names = ['dependencies', 'optionalDependencies', 'devDependencies'].flatMap((kind) =>
      Object.keys(manifest[kind] ?? {}),
    );
    const decisions = filesIn('docs/decisions', '.md').map(read).join('\n');
    expect(names.filter((name) => !decisions.includes(`\`${name}\``))).toEqual([]);
  });

  test('no document links to a file that is not there', () => {
    const broken = pages.flatMap((page) =>
      [...read(page).matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)/g)]
        .map(([, target = '']) => join(page, '..', target))
        .filter((target) => {
          try {
            readdirSync(join(root, target));
            return false;
          } catch (error) {
            return error instanceof Error && 'code' in error && error.code === 'ENOENT';
          }
        })
        .map((target) => `${page} → ${target}`),
    );
    expect(broken).toEqual([]);
  });
});
