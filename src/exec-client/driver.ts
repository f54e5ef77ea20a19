import type { ExecAnswer } from '../domain/execute.ts';
import type { Land, Operation } from '../domain/pack.ts';

/**
 * The protocol's runtime driver ("Build a runtime", Drivers), so that a product that embeds us hands in its own. Names
 * are the protocol's. Whatever a driver answers is checked before it is believed (parse-answer.ts).
 */
export type HcpRuntimeDriver = {
  id: string;
  kind: string;
  listPacks(): readonly HcpPack[] | Promise<readonly HcpPack[]>;
  getPack(id: string): HcpPack | undefined | Promise<HcpPack | undefined>;
  exec(request: HcpExecRequest, options?: HcpExecOptions): ExecAnswer | Promise<ExecAnswer>;
  /** Mints a Binding. Nothing in this product ever calls it (S29); it is here because drivers have it. */
  connect?(packId: string, authz: HcpAuthzContext): unknown;
};

/** The part of a driver that the client stands on: a remote runtime offers nothing else (S32). */
export type ExecDriver = Pick<HcpRuntimeDriver, 'id' | 'kind'> & {
  exec(request: HcpExecRequest, options: HcpExecOptions): unknown;
};

export type HcpExecRequest = {
  pack_id: string;
  verb_key: string;
  args?: Readonly<Record<string, unknown>>;
  authz: HcpAuthzContext;
  /** The runtime's own posture; we never set it. */
  sandbox?: unknown;
};

export type HcpAuthzContext = {
  principal: { id: string; kind: string };
  tenant_id: string;
  project_id: string | null;
  grants: readonly ExecGrant[];
};

/** One grant of Execute. `capability` is one of the protocol's; only `verb.exec.*` opens anything here. */
export type ExecGrant = {
  capability: string;
  pack_id: string;
  /** Left out: every command of the pack. */
  verb_keys?: readonly string[] | undefined;
};

export type HcpPack = {
  pack_id: string;
  policy: {
    verbs: Readonly<
      Record<string, { operation: Operation; privacy: { land: Land }; confirm?: boolean | 'always' }>
    >;
  };
};

/** Ours, beside the protocol's request, so that no type of it is extended (S34). A driver may ignore it. */
export type HcpExecOptions = {
  /** Same key, same effect once: a wake that runs again after a kill sends the same. */
  idempotencyKey: string;
  /** Fires when the answer is no longer waited for. */
  signal: AbortSignal;
};
