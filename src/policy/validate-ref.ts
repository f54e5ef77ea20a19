import type { Announcement } from '../domain/announcement.ts';
import type { Drop } from '../domain/decision.ts';
import type { Packs, PolicyRow } from '../domain/pack.ts';

/** A ref is announced only if the pack is loaded and declares it, with its Policy row (S10). */
export const validateRef = (announcement: Announcement, packs: Packs): PolicyRow | Drop => {
  const loaded = packs.get(announcement.pack);
  if (loaded === undefined) {
    return no('pack_unknown', `no pack "${announcement.pack}" is loaded`);
  }
  const row = loaded.pack.stimuli.get(announcement.ref);
  if (row === undefined) {
    return no('ref_undeclared', `pack "${announcement.pack}" declares no trigger "${announcement.ref}"`);
  }
  return row;
};

const no = (reason: 'pack_unknown' | 'ref_undeclared', why: string): Drop => ({
  kind: 'drop',
  reason,
  rule: 'validate-ref',
  why,
  binding: null,
});
