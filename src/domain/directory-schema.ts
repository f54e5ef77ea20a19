import { z } from 'zod';
import { type Binding, capabilities, type Directory, type Grant } from './directory.ts';
import { nearestKey } from './nearest-key.ts';
import type { Packs } from './pack.ts';
import { plainText, strictShape } from './strict-shape.ts';

/** The directory as a file or a request writes it (contract). Every section may be left out. */
const principal = {
  kind: plainText.describe('human, service, …'),
  tenant: plainText.optional().describe("left out: the configuration's tenant"),
  projects: z.array(plainText).default([]).describe('projects that this Principal is a member of'),
};
const binding = {
  pack: plainText,
  principal: plainText,
  account: plainText.optional().describe('matched against the account keys of deliveries'),
  mode: z.enum(['user', 'mothership', 'local']).default('user'),
  project: plainText.optional().describe('needed where the pack\'s land is "brain"'),
  tenant: plainText.optional().describe("may be named, but is always the Principal's"),
};
const grant = {
  principal: plainText,
  capability: z.enum(capabilities).optional(),
  pack: plainText.optional(),
  verb_keys: z.array(plainText).min(1).optional(),
  elevation: plainText.optional().describe('a mothership Binding that this end-user Principal may reach'),
};

export const principalBody = strictShape(principal);
export const bindingBody = strictShape(binding);
export const grantBody = strictShape(grant);

const file = strictShape({
  principals: z.array(strictShape({ id: plainText, ...principal })).default([]),
  bindings: z.array(strictShape({ id: plainText, ...binding })).default([]),
  grants: z.array(strictShape({ id: plainText.optional(), ...grant })).default([]),
  activation: z.record(plainText, z.enum(['on', 'off'])).default({}),
});

/** A Binding that may also claim a tenant; the claim must equal its Principal's, it never decides anything (S20). */
export type ClaimedBinding = Binding & { tenant?: string | undefined };
export type ParsedDirectory = Directory & { bindings: readonly ClaimedBinding[] };
export type DirectoryFault = { path: readonly PropertyKey[]; message: string };

/**
 * Checks a directory as it was written: shape, unknown keys, doubled ids, packs and commands that are not loaded. What
 * it refers to in the database is checked when it is written (`applyDirectory`).
 * @returns the directory with defaults filled in, or every fault with its path.
 */
export const parseDirectory = (
  input: unknown,
  { tenant, packs }: { tenant: string; packs: Packs },
): { ok: true; directory: ParsedDirectory } | { ok: false; faults: DirectoryFault[] } => {
  const parsed = file.safeParse(input ?? {});
  if (!parsed.success) {
    return { ok: false, faults: parsed.error.issues.map(({ path, message }) => ({ path, message })) };
  }
  const faults: DirectoryFault[] = [];
  const { principals, bindings, grants, activation } = parsed.data;

  const checkPack = (pack: string, path: readonly PropertyKey[]): void => {
    if (packs.has(pack)) return;
    faults.push({ path, message: `no pack "${pack}" is loaded${nearestKey(pack, [...packs.keys()])}` });
  };
  bindings.forEach(({ pack }, index) => {
    checkPack(pack, ['bindings', index, 'pack']);
  });
  for (const pack of Object.keys(activation)) checkPack(pack, ['activation', pack]);

  const read = grants.map((written, index): Grant => {
    const at = (key: string): readonly PropertyKey[] => ['grants', index, key];
    const { principal: holder, capability, pack, verb_keys: verbs, elevation } = written;
    if (elevation !== undefined) {
      for (const key of ['capability', 'pack', 'verb_keys'] as const) {
        if (written[key] !== undefined)
          faults.push({ path: at(key), message: 'does not go with elevation: that names one Binding' });
      }
      return { id: written.id ?? `${holder}:elevation:${elevation}`, principal: holder, elevation };
    }
    if (capability === undefined || pack === undefined) {
      faults.push({ path: ['grants', index], message: 'names neither capability and pack nor elevation' });
      return { id: '', principal: holder, elevation: '' };
    }
    checkPack(pack, at('pack'));
    if (verbs !== undefined && !capability.startsWith('verb.')) {
      faults.push({ path: at('verb_keys'), message: `goes with verb.exec.* only, not with ${capability}` });
    }
    const known = packs.get(pack)?.pack.verbs;
    for (const verb of known === undefined ? [] : (verbs ?? [])) {
      if (!known?.has(verb)) {
        const near = nearestKey(verb, [...(known?.keys() ?? [])]);
        faults.push({ path: at('verb_keys'), message: `pack "${pack}" has no command "${verb}"${near}` });
      }
    }
    const id = written.id ?? grantId(holder, capability, pack);
    return { id, principal: holder, capability, pack, verbKeys: verbs ?? null };
  });

  checkIds('principals', principals, faults);
  checkIds('bindings', bindings, faults);
  checkIds('grants', read, faults);
  if (faults.length > 0) return { ok: false, faults };

  return {
    ok: true,
    directory: {
      principals: principals.map((each) => ({ ...each, tenant: each.tenant ?? tenant })),
      bindings: bindings.map((each) => ({
        ...each,
        account: each.account ?? null,
        project: each.project ?? null,
      })),
      grants: read,
      activation,
    },
  };
};

/** The id of a grant that names none: the same grant written twice is one row. */
const grantId = (principalId: string, capability: string, pack: string): string =>
  `${principalId}:${capability}:${pack}`;

const checkIds = (section: string, items: readonly { id: string }[], faults: DirectoryFault[]): void => {
  const seen = new Set<string>();
  items.forEach(({ id }, index) => {
    // A grant that is neither kind has its fault already, and no id.
    if (id !== '' && seen.has(id)) {
      faults.push({ path: [section, index], message: `the id "${id}" is already used above` });
    }
    seen.add(id);
  });
};
