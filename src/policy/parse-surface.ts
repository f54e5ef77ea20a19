import { z } from 'zod';
import { describeIssue, plainPath, show } from './describe-issue.ts';
import type { Finding, Path } from './finding.ts';
import { readJson } from './read-json.ts';

export const packIdPattern = /^[a-z0-9][a-z0-9._-]{0,63}$/;

/** The manifest is not ours: what we do not read is neither judged nor lost. */
const surfaceSchema = z.looseObject({
  id: z.string().regex(packIdPattern, 'expected lower-case letters, digits, ".", "_" and "-", at most 64'),
  kind: z.string().optional(),
  verbs: z
    .union([z.array(z.looseObject({ key: z.string().min(1) })), z.record(z.string().min(1), z.unknown())], {
      error: 'expected an object keyed by command, or an array of { "key": … }',
    })
    .optional(),
  stimulusTriggers: z
    .array(z.looseObject({ ref: z.string({ error: 'expected a ref, such as "new_item"' }) }), {
      error: 'expected an array of { "ref": … }',
    })
    .optional(),
  connect: z.unknown().optional(),
});

/** A command or trigger and where the manifest declares it. */
export type Declared = { name: string; path: Path };

/** What of surface.json concerns Sense. A part that could not be read is null, so that nothing is concluded from it. */
export type Surface = {
  id: string | null;
  senseOnly: boolean;
  verbs: readonly Declared[] | null;
  triggers: readonly Declared[] | null;
  /** Commands that `connect` names. */
  connectKeys: readonly string[];
  find: (path: Path, message: string) => Finding;
};

/**
 * The protocol leaves the shape of `connect` open. A string, `{ "verb" | "key" | "verb_key" | "command": "…" }` and arrays
 * of these name commands; any other shape names none, and the rule on names in lint-pack.ts still holds.
 */
const readConnect = (connect: unknown): string[] => {
  if (typeof connect === 'string') return [connect];
  if (Array.isArray(connect))
    return connect.flatMap((entry) => (Array.isArray(entry) ? [] : readConnect(entry)));
  if (typeof connect !== 'object' || connect === null) return [];
  const entries = Object.entries(connect).filter(([name]) =>
    ['verb', 'key', 'verb_key', 'command'].includes(name),
  );
  return entries.flatMap(([, value]) => (typeof value === 'string' ? [value] : []));
};

const readVerbs = (verbs: unknown): Declared[] | null => {
  if (verbs === undefined) return [];
  if (typeof verbs !== 'object' || verbs === null) return null;
  if (!Array.isArray(verbs)) return Object.keys(verbs).map((name) => ({ name, path: ['verbs', name] }));
  return verbs.flatMap((verb: unknown, index) => {
    const name: unknown = (verb as { key?: unknown } | null)?.key;
    return typeof name === 'string' ? [{ name, path: ['verbs', index, 'key'] }] : [];
  });
};

const readTriggers = (triggers: unknown): Declared[] | null => {
  if (triggers === undefined) return [];
  if (!Array.isArray(triggers)) return null;
  return triggers.flatMap((trigger: unknown, index) => {
    const name: unknown = (trigger as { ref?: unknown } | null)?.ref;
    return typeof name === 'string' ? [{ name, path: ['stimulusTriggers', index, 'ref'] }] : [];
  });
};

/**
 * Reads surface.json, with every fault of its own; what it must have in common with policy.json is lint-pack.ts's. Never
 * throws.
 * @param text the file's text, or null where there is no such file
 */
export const parseSurface = (text: string | null): { surface: Surface | null; faults: Finding[] } => {
  const { json, faults } = readJson('surface.json', text);
  if (json === null) return { surface: null, faults };
  const checked = surfaceSchema.safeParse(json.value);
  if (!checked.success) {
    const found = checked.error.issues.map((issue) =>
      json.find(plainPath(issue.path), describeIssue(issue, json.value)),
    );
    faults.push(...found);
  }
  if (typeof json.value !== 'object' || json.value === null || Array.isArray(json.value))
    return { surface: null, faults };

  const raw = json.value as Record<string, unknown>;
  const surface: Surface = {
    id: typeof raw.id === 'string' ? raw.id : null,
    senseOnly: raw.kind === 'sense_only',
    verbs: readVerbs(raw.verbs),
    triggers: readTriggers(raw.stimulusTriggers),
    connectKeys: readConnect(raw.connect),
    find: json.find,
  };
  for (const { declared, what } of [
    { declared: surface.verbs ?? [], what: 'verb' },
    { declared: surface.triggers ?? [], what: 'stimulus' },
  ]) {
    const doubled = declared.filter(
      ({ name }, index) => declared.findIndex((other) => other.name === name) < index,
    );
    faults.push(
      ...doubled.map(({ name, path }) => json.find(path, `${what} ${show(name)} is declared twice`)),
    );
  }
  return { surface, faults };
};
