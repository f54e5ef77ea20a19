import type { Pack, PolicyRow } from '../domain/pack.ts';
import { doubtRef } from './doubt-ref.ts';
import type { Finding, PackFileName } from './finding.ts';
import { type Policy, parsePolicy, type RowReading } from './parse-policy.ts';
import { type Declared, parseSurface, type Surface } from './parse-surface.ts';

/** The texts of a pack's files; null for one that is not there. */
export type PackFiles = Readonly<Record<PackFileName, string | null>>;

/** `pack` is null exactly where there are faults. Warnings never keep a pack from loading. */
export type LintResult = { pack: Pack | null; faults: Finding[]; warnings: Finding[] };

const refPattern = /^[a-z][a-z0-9_-]*(\.[a-z0-9][a-z0-9_-]*)*$/;

/** Commands that establish a Binding, by name; `connect` of the manifest may name others. */
const isConnectName = (verb: string): boolean => /(^|\.)connect$/i.test(verb);

/** Without repetitions, which are a fault of their own. */
const first = (declared: readonly Declared[]): Declared[] =>
  declared.filter(({ name }, index) => declared.findIndex((other) => other.name === name) === index);

/** Both directions, in the protocol's own words (Policy, "Coverage rules"). */
const checkCoverage = (surface: Surface, policy: Policy): Finding[] => {
  const faults: Finding[] = [];
  if (policy.surfaceId !== null && surface.id !== null && policy.surfaceId !== surface.id) {
    faults.push(policy.find(['surface_id'], `policy surface_id "${policy.surfaceId}" !== "${surface.id}"`));
  }
  if (surface.verbs !== null && policy.verbs !== null) {
    const rows = policy.verbs;
    // A connect that stands beside `verbs` may have a row without being listed among them.
    const declared = new Set([...surface.verbs.map(({ name }) => name), ...surface.connectKeys]);
    for (const { name, path } of first(surface.verbs)) {
      if (!rows.has(name)) faults.push(surface.find(path, `verb "${name}" missing from policy.json`));
    }
    for (const name of rows.keys()) {
      if (!declared.has(name))
        faults.push(policy.find(['verbs', name], `policy verb "${name}" not in pack manifest`));
    }
  }
  if (surface.triggers !== null && policy.stimuli !== null) {
    const rows = policy.stimuli;
    const declared = new Set(surface.triggers.map(({ name }) => name));
    for (const { name, path } of first(surface.triggers)) {
      if (!rows.has(name)) faults.push(surface.find(path, `stimulus "${name}" missing from policy.json`));
    }
    for (const name of rows.keys()) {
      if (!declared.has(name)) {
        faults.push(policy.find(['stimuli', name], `policy stimulus "${name}" not in stimulusTriggers`));
      }
    }
  }
  return faults;
};

const checkSurface = (surface: Surface): Finding[] => {
  const badRefs = (surface.triggers ?? []).filter(({ name }) => !refPattern.test(name) || name.length > 128);
  const faults = badRefs.map(({ name, path }) =>
    surface.find(
      path,
      `stimulus ${JSON.stringify(name)} is not a ref: lower case, dot-separated, such as "item.updated", at most 128`,
    ),
  );
  if (!surface.senseOnly) return faults;
  if (surface.triggers?.length === 0) {
    faults.push(
      surface.find(
        ['stimulusTriggers'],
        'a sense_only pack declares at least one trigger in stimulusTriggers',
      ),
    );
  }
  const verb = surface.verbs?.[0];
  if (verb !== undefined) {
    faults.push(
      surface.find(['verbs'], 'a sense_only pack has no verbs; put commands into a pack of their own'),
    );
  }
  return faults;
};

const asks = (confirm: unknown): boolean => confirm === true || confirm === 'always';

const checkRows = (policy: Policy): Finding[] => {
  const faults: Finding[] = [];
  for (const [ref, { operation, confirm }] of policy.stimuli ?? []) {
    const path = ['stimuli', ref];
    if (operation === 'write') {
      faults.push(
        policy.find([...path, 'operation'], `stimulus "${ref}" must be "read": Sense cannot write`),
      );
    }
    if (asks(confirm)) {
      faults.push(
        policy.find([...path, 'confirm'], `stimulus "${ref}" has confirm; only writes ask before they run`),
      );
    }
  }
  for (const [verb, { operation, confirm }] of policy.verbs ?? []) {
    if (operation !== 'read' || !asks(confirm)) continue;
    faults.push(
      policy.find(
        ['verbs', verb, 'confirm'],
        `verb "${verb}" is a read and has confirm; only writes ask before they run`,
      ),
    );
  }
  return faults;
};

const rowsOf = (readings: ReadonlyMap<string, RowReading> | null): Map<string, PolicyRow> =>
  new Map([...(readings ?? [])].flatMap(([name, { row }]) => (row === null ? [] : [[name, row] as const])));

/**
 * Reads and judges a pack from the texts of its two files: every fault at once, in the order of the files, each with its
 * line. Pure; never throws.
 * @see https://harnesscontextprotocol.io/docs/concepts/policy
 */
export const lintPack = (files: PackFiles): LintResult => {
  const { surface, faults: surfaceFaults } = parseSurface(files['surface.json']);
  const { policy, faults: policyFaults } = parsePolicy(files['policy.json']);
  const faults = [...surfaceFaults, ...policyFaults];
  if (surface !== null) faults.push(...checkSurface(surface));
  if (policy !== null) faults.push(...checkRows(policy));
  if (surface !== null && policy !== null) faults.push(...checkCoverage(surface, policy));
  faults.sort((a, b) => b.file.localeCompare(a.file) || a.line - b.line || a.column - b.column);

  const warnings = (surface?.triggers ?? []).flatMap(({ name, path }) => {
    const doubt = refPattern.test(name) ? doubtRef(name) : null;
    return doubt === null || surface === null ? [] : [surface.find(path, doubt)];
  });
  if (faults.length > 0 || surface === null || policy === null || surface.id === null) {
    return { pack: null, faults, warnings };
  }
  const verbs = rowsOf(policy.verbs);
  const pack: Pack = {
    id: surface.id,
    senseOnly: surface.senseOnly,
    verbs: new Map([...verbs].filter(([name]) => surface.verbs?.some((verb) => verb.name === name))),
    stimuli: rowsOf(policy.stimuli),
    connectVerbs: new Set([...surface.connectKeys, ...[...verbs.keys()].filter(isConnectName)]),
  };
  return { pack, faults, warnings };
};
