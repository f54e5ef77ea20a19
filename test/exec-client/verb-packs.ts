import type { LoadedPack, Pack, PolicyRow } from '../../src/domain/pack.ts';

const row = (
  operation: PolicyRow['operation'],
  land: PolicyRow['land'],
  confirm: PolicyRow['confirm'] = false,
) => ({
  operation,
  land,
  confirm,
});

/** The example packs' commands, and one that must always ask. */
export const verbPacks: readonly Pack[] = [
  {
    id: 'mail',
    senseOnly: false,
    verbs: new Map([
      ['mail.list', row('read', 'personal')],
      ['mail.get', row('read', 'personal')],
      ['mail.send', row('write', 'personal', true)],
      ['mail.purge', row('write', 'personal', 'always')],
      ['mail.flag', row('write', 'personal')],
      ['mail.connect', row('write', 'personal')],
      ['mail.relink', row('write', 'personal')],
    ]),
    stimuli: new Map(),
    connectVerbs: new Set(['mail.relink']),
  },
  {
    id: 'issues',
    senseOnly: false,
    verbs: new Map([
      ['issues.list', row('read', 'brain')],
      ['issues.get', row('read', 'brain')],
    ]),
    stimuli: new Map(),
    connectVerbs: new Set(),
  },
];

export const loadedVerbPacks: ReadonlyMap<string, LoadedPack> = new Map(
  verbPacks.map((pack) => [pack.id, { pack, routes: new Map() }]),
);
