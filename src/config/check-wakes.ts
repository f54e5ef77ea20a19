import { nearestKey } from '../domain/nearest-key.ts';
import { checkPackName, checkRefName, type Entry, type KnownPacks } from './check-references.ts';
import type { ConfigFault } from './describe-config-issue.ts';
import type { Config } from './schema.ts';

type Execute = NonNullable<Config['execute']>;
type Step = Config['wakes'][number]['steps'][number];

const isGranted = (execute: Execute, step: Step, capability: string): boolean =>
  execute.grants.some(
    (grant) =>
      grant.capability === capability &&
      grant.pack_id === step.pack &&
      (grant.verb_keys === undefined || grant.verb_keys.includes(step.verb)),
  );

const checkStep = (
  { value: step, path }: Entry<Step>,
  packs: KnownPacks,
  execute: Execute | null,
): ConfigFault[] => {
  const faults = checkPackName(packs, step.pack, [...path, 'pack']);
  // S28: only a person goes on from "confirm required".
  for (const name of Object.keys(step.args)) {
    if (!['confirm', 'apply'].includes(name.toLowerCase())) continue;
    faults.push({
      path: [...path, 'args', name],
      message: `a wake never sends "${name}"; only a person confirms`,
    });
  }
  const pack = packs.byId.get(step.pack);
  if (pack === undefined) return faults;
  if (pack.connectVerbs.has(step.verb)) {
    faults.push({
      path: [...path, 'verb'],
      message: `"${step.verb}" is a connect command; a wake never runs one, whatever its grants: a person runs connect`,
    });
    return faults;
  }
  const row = pack.verbs.get(step.verb);
  if (row === undefined) {
    const hint = nearestKey(step.verb, [...pack.verbs.keys()]);
    faults.push({
      path: [...path, 'verb'],
      message: `pack "${step.pack}" has no command "${step.verb}"${hint}`,
    });
    return faults;
  }
  const capability = row.operation === 'write' ? 'verb.exec.write' : 'verb.exec.read';
  if (execute !== null && !isGranted(execute, step, capability)) {
    faults.push({
      path: [...path, 'verb'],
      message: `execute.grants holds no ${capability} for "${step.verb}" of pack "${step.pack}"`,
    });
  }
  return faults;
};

/**
 * What wakes refer to, and what no wake may do (S28, S29).
 * @param execute null where it could not be read: nothing is concluded about grants then
 */
export const checkWakes = (
  wakes: ReadonlyArray<Entry<Config['wakes'][number]>>,
  packs: KnownPacks,
  execute: Execute | 'absent' | null,
): ConfigFault[] =>
  wakes.flatMap(({ value: wake, path }) => {
    const faults = [
      ...checkPackName(packs, wake.on.pack, [...path, 'on', 'pack']),
      ...checkRefName(packs, wake.on.pack, wake.on.ref, [...path, 'on', 'ref']),
    ];
    if (execute === 'absent')
      faults.push({ path, message: `wake "${wake.id}" has nothing to run its steps; add execute` });
    const granting = execute === 'absent' ? null : execute;
    const steps = wake.steps.flatMap((step, index) =>
      checkStep({ value: step, path: [...path, 'steps', index] }, packs, granting),
    );
    return [...faults, ...steps];
  });

/** Grants of Execute that name what no loaded pack has: a slip of the pen, found before the first wake is denied. */
export const checkExecuteGrants = (execute: Execute, packs: KnownPacks): ConfigFault[] =>
  execute.grants.flatMap((grant, index) => {
    const path = ['execute', 'grants', index];
    const pack = packs.byId.get(grant.pack_id);
    if (pack === undefined) return checkPackName(packs, grant.pack_id, [...path, 'pack_id']);
    return (grant.verb_keys ?? []).flatMap((verb, at) =>
      pack.verbs.has(verb)
        ? []
        : [
            {
              path: [...path, 'verb_keys', at],
              message: `pack "${pack.id}" has no command "${verb}"${nearestKey(verb, [...pack.verbs.keys()])}`,
            },
          ],
    );
  });
