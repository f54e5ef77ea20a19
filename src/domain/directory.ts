/** The protocol's capabilities, kept apart (S27). There is no other (S34). */
export const capabilities = ['verb.exec.read', 'verb.exec.write', 'pack.connect', 'sense.enable'] as const;
export type Capability = (typeof capabilities)[number];

export type Principal = { id: string; kind: string; tenant: string; projects: readonly string[] };

export type Binding = {
  id: string;
  pack: string;
  principal: string;
  /** Matched against the account keys that deliveries yield; null where sources fix this Binding by id. */
  account: string | null;
  mode: 'user' | 'mothership' | 'local';
  project: string | null;
};

/** A capability of one Principal on one pack, or on some of its commands. */
export type CapabilityGrant = {
  id: string;
  principal: string;
  capability: Capability;
  pack: string;
  /** Only for `verb.exec.*`: null grants every command of the pack. */
  verbKeys: readonly string[] | null;
};

/** Lets an end-user Principal reach one mothership Binding (S36). Not a capability: the protocol has no such one. */
export type ElevationGrant = { id: string; principal: string; elevation: string };

export type Grant = CapabilityGrant | ElevationGrant;

/** The directory as `apply` and the admin API write it. */
export type Directory = {
  principals: readonly Principal[];
  bindings: readonly Binding[];
  grants: readonly Grant[];
  activation: Readonly<Record<string, 'on' | 'off'>>;
};
