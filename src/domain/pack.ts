/** Where an event's data belongs (protocol: Policy, "Land"). There is no fourth. */
export const lands = ['personal', 'brain', 'local'] as const;
export type Land = (typeof lands)[number];

export const operations = ['read', 'write'] as const;
export type Operation = (typeof operations)[number];

/** One row of policy.json, for a command or a trigger. */
export type PolicyRow = { operation: Operation; land: Land; confirm: boolean | 'always' };

/** A pack as its author wrote it: nothing of ours is mixed in (S33). */
export type Pack = {
  id: string;
  /** `sense_only` packs have triggers and no commands. */
  senseOnly: boolean;
  /** Commands of surface.json with their Policy row. */
  verbs: ReadonlyMap<string, PolicyRow>;
  /** Triggers of surface.json with their Policy row; always `read`. */
  stimuli: ReadonlyMap<string, PolicyRow>;
  /** Commands that establish a Binding; a wake may never run them (S29). */
  connectVerbs: ReadonlySet<string>;
};

/** A pack together with what this product decided about it, outside the pack (S33). */
export type LoadedPack = {
  pack: Pack;
  /** `packs[].routes` of the configuration, by ref. */
  routes: ReadonlyMap<string, 'inbox' | 'silent'>;
};

export type Packs = ReadonlyMap<string, LoadedPack>;
