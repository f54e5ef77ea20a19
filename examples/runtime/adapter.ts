/** Who asks, from the authenticated side of the envelope; arguments never choose a tenant. */
export type Caller = { tenantId: string; projectId: string | null; principalId: string };

export type AdapterAnswer = { ok: true; result: unknown } | { ok: false; error: string };

/** The commands of one pack, by verb key. They run only after Policy, grants and the confirm gate have passed. */
export type Adapter = Readonly<
  Record<string, (args: Readonly<Record<string, unknown>>, caller: Caller) => AdapterAnswer>
>;
