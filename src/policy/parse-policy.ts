import { z } from 'zod';
import { nearestKey } from '../domain/nearest-key.ts';
import { lands, operations, type PolicyRow } from '../domain/pack.ts';
import { describeIssue, plainPath, valueAt } from './describe-issue.ts';
import { explainForeignField } from './explain-foreign-field.ts';
import type { Finding, Path } from './finding.ts';
import { readJson } from './read-json.ts';

const rowSchema = z.strictObject({
  operation: z.enum(operations),
  privacy: z.strictObject({ land: z.enum(lands) }),
  confirm: z
    .union([z.boolean(), z.literal('always')], { error: 'expected true, false or "always"' })
    .optional(),
});

const policySchema = z.strictObject({
  surface_id: z.string(),
  version: z.literal(1).default(1),
  verbs: z.record(z.string(), rowSchema),
  stimuli: z.record(z.string(), rowSchema).default({}),
});

/** Fields by how deep they stand: the file's, a row's, a row's `privacy`. */
const fieldsByDepth: Readonly<Record<number, readonly string[]>> = {
  0: Object.keys(policySchema.shape),
  2: Object.keys(rowSchema.shape),
  3: Object.keys(rowSchema.shape.privacy.shape),
};

/** A row as far as it can be read: one fault in it must not hide another. `row` is null where it has any. */
export type RowReading = { operation: unknown; confirm: unknown; row: PolicyRow | null };

/** What policy.json says. A part that could not be read is null, so that nothing is concluded from it. */
export type Policy = {
  surfaceId: string | null;
  verbs: ReadonlyMap<string, RowReading> | null;
  stimuli: ReadonlyMap<string, RowReading> | null;
  find: (path: Path, message: string) => Finding;
};

const readRow = (raw: unknown): RowReading => {
  const checked = rowSchema.safeParse(raw);
  const { operation, confirm } = (raw ?? {}) as { operation?: unknown; confirm?: unknown };
  if (!checked.success) return { operation, confirm, row: null };
  return {
    operation,
    confirm,
    row: {
      operation: checked.data.operation,
      land: checked.data.privacy.land,
      confirm: checked.data.confirm ?? false,
    },
  };
};

const readRows = (rows: unknown): Map<string, RowReading> | null => {
  if (typeof rows !== 'object' || rows === null || Array.isArray(rows)) return null;
  return new Map(Object.entries(rows).map(([name, row]) => [name, readRow(row)]));
};

const describePolicyIssue = (
  issue: z.core.$ZodIssue,
  root: unknown,
): Array<{ path: Path; message: string }> => {
  const path = plainPath(issue.path);
  if (issue.code !== 'unrecognized_keys') return [{ path, message: describeIssue(issue, root) }];
  return issue.keys.map((key) => {
    const known = (fieldsByDepth[path.length] ?? []).filter(
      (field) => valueAt(root, [...path, field]) === undefined,
    );
    const hint = explainForeignField(key);
    return {
      path: [...path, key],
      message: `unknown field ${JSON.stringify(key)}${hint === null ? nearestKey(key, known) : `: ${hint}`}`,
    };
  });
};

/**
 * Reads policy.json strictly, with every fault of its own; what it must have in common with surface.json is
 * lint-pack.ts's. Never throws.
 * @param text the file's text, or null where there is no such file
 */
export const parsePolicy = (text: string | null): { policy: Policy | null; faults: Finding[] } => {
  const { json, faults } = readJson('policy.json', text);
  if (json === null) return { policy: null, faults };
  const checked = policySchema.safeParse(json.value);
  if (!checked.success) {
    const found = checked.error.issues.flatMap((issue) => describePolicyIssue(issue, json.value));
    faults.push(...found.map(({ path, message }) => json.find(path, message)));
  }
  if (typeof json.value !== 'object' || json.value === null || Array.isArray(json.value))
    return { policy: null, faults };

  const raw = json.value as Record<string, unknown>;
  const policy: Policy = {
    surfaceId: typeof raw.surface_id === 'string' ? raw.surface_id : null,
    verbs: readRows(raw.verbs),
    stimuli: raw.stimuli === undefined ? new Map() : readRows(raw.stimuli),
    find: json.find,
  };
  return { policy, faults };
};
