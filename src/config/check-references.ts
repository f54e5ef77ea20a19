import { nearestKey } from '../domain/nearest-key.ts';
import type { Pack } from '../domain/pack.ts';
import type { ConfigFault } from './describe-config-issue.ts';
import type { Config } from './schema.ts';

/** One entry of a list of the configuration and where it stands. */
export type Entry<T> = { value: T; path: readonly PropertyKey[] };

/** The packs that could be read; `complete` is false where some could not, so that a name unknown here may yet be theirs. */
export type KnownPacks = { byId: ReadonlyMap<string, Pack>; complete: boolean };

/** Every entry whose id an earlier one of the same list has. */
export const checkDoubledIds = (what: string, entries: ReadonlyArray<Entry<{ id: string }>>): ConfigFault[] =>
  entries.flatMap(({ value, path }, index) =>
    entries.slice(0, index).some((earlier) => earlier.value.id === value.id)
      ? [{ path: [...path, 'id'], message: `${what} "${value.id}" is configured twice` }]
      : [],
  );

/** Nothing, or that no such pack is loaded. */
export const checkPackName = (packs: KnownPacks, id: string, path: readonly PropertyKey[]): ConfigFault[] => {
  if (packs.byId.has(id) || !packs.complete) return [];
  return [{ path, message: `no pack "${id}" is loaded${nearestKey(id, [...packs.byId.keys()])}` }];
};

/** Nothing, or that the pack declares no such trigger. Silent about a pack that is not known. */
export const checkRefName = (
  packs: KnownPacks,
  id: string,
  ref: string,
  path: readonly PropertyKey[],
): ConfigFault[] => {
  const pack = packs.byId.get(id);
  if (pack === undefined || pack.stimuli.has(ref)) return [];
  return [
    {
      path,
      message: `pack "${id}" declares no trigger "${ref}"${nearestKey(ref, [...pack.stimuli.keys()])}`,
    },
  ];
};

/** What the room that knows vendors says of a source; `key` is the key of the source that a fault is about. */
export type KnownVendors = {
  names: readonly string[];
  findFaults: (
    source: Extract<Config['sources'][number], { type: 'vendor' }>,
    publicUrl: string | undefined,
  ) => readonly { key: string; message: string }[];
};

/** What sources refer to: packs, triggers and, where the caller knows them, vendors. */
export const checkSources = (
  sources: ReadonlyArray<Entry<Config['sources'][number]>>,
  packs: KnownPacks,
  vendors: KnownVendors | null,
  publicUrl: string | undefined,
): ConfigFault[] =>
  sources.flatMap(({ value: source, path }) => {
    if (source.type === 'webhook' || source.type === 'queue') {
      if ((source.pack === undefined) === (source.packs === undefined)) {
        return [
          {
            path,
            message:
              'needs either pack (the one it announces for) or packs (each announcement names its own)',
          },
        ];
      }
      const one = source.pack === undefined ? [] : checkPackName(packs, source.pack, [...path, 'pack']);
      const many = (source.packs ?? []).flatMap((id, index) =>
        checkPackName(packs, id, [...path, 'packs', index]),
      );
      return [...one, ...many];
    }
    const faults = checkPackName(packs, source.pack, [...path, 'pack']);
    if (source.type === 'process') {
      if (packs.byId.get(source.pack)?.senseOnly !== false) return faults;
      const message = `pack "${source.pack}" is not of kind sense_only; no other kind runs as a process`;
      return [...faults, { path: [...path, 'pack'], message }];
    }
    if (vendors?.names.includes(source.vendor) === true) {
      for (const { key, message } of vendors.findFaults(source, publicUrl))
        faults.push({ path: [...path, key], message });
    } else if (vendors !== null) {
      const known = nearestKey(source.vendor, vendors.names) || `; known: ${vendors.names.join(', ')}`;
      faults.push({ path: [...path, 'vendor'], message: `vendor "${source.vendor}" is unknown${known}` });
    }
    for (const [event, ref] of Object.entries(source.refs ?? {})) {
      faults.push(...checkRefName(packs, source.pack, ref, [...path, 'refs', event]));
    }
    return faults;
  });
