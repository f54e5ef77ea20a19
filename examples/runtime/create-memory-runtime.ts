import { createHash } from 'node:crypto';
import type { ExecAnswer } from '../../src/domain/execute.ts';
import type { Pack } from '../../src/domain/pack.ts';
import type { HcpExecRequest, HcpPack, HcpRuntimeDriver } from '../../src/exec-client/driver.ts';
import type { Adapter } from './adapter.ts';
import { createIssuesAdapter } from './create-issues-adapter.ts';
import { createMailAdapter } from './create-mail-adapter.ts';

/** The runtime's own grants: what a caller says about itself grants nothing. */
export type RuntimeGrant = {
  principal: string;
  capability: string;
  pack_id: string;
  verb_keys?: readonly string[];
};

type MemoryRuntimeParts = {
  packs: readonly Pack[];
  grants: readonly RuntimeGrant[];
  /** Project → ids of its members. */
  members?: Readonly<Record<string, readonly string[]>>;
  /** Pack id → its commands; left out: the example packs mail and issues. */
  adapters?: Readonly<Record<string, Adapter>>;
};

/** One exec that came in, for tests and for the curious. `ran` says whether an adapter was run for it. */
export type RuntimeCall = {
  pack_id: string;
  verb_key: string;
  args: Readonly<Record<string, unknown>>;
  principal: { id: string; kind: string };
  tenant_id: string;
  project_id: string | null;
  idempotency_key: string | null;
  ran: boolean;
};

export type MemoryRuntime = HcpRuntimeDriver & {
  exec(request: HcpExecRequest, options?: { idempotencyKey?: string }): Promise<ExecAnswer>;
  calls(): readonly RuntimeCall[];
};

/** A key that comes again with another command is a mistake of the caller's, which an old answer would hide. */
export const KEY_REUSED = 'idempotency key was used for another command';

/**
 * A runtime as the protocol describes it, in memory: Policy, grants of its own, the rule of brain, the gate of confirm,
 * and one effect per idempotency key. Honest enough to test against, and a driver for products that embed hcp-sense.
 */
export const createMemoryRuntime = (parts: MemoryRuntimeParts): MemoryRuntime => {
  const packs = new Map(parts.packs.map((pack) => [pack.id, pack]));
  const adapters = parts.adapters ?? { mail: createMailAdapter(), issues: createIssuesAdapter() };
  const answered = new Map<string, { fingerprint: string; answer: ExecAnswer }>();
  const calls: RuntimeCall[] = [];

  const holds = (principal: string, capability: string, packId: string, verb: string): boolean =>
    parts.grants.some(
      (grant) =>
        grant.principal === principal &&
        grant.capability === capability &&
        grant.pack_id === packId &&
        (grant.verb_keys === undefined || grant.verb_keys.includes(verb)),
    );

  /** Null, or why nothing runs; in the protocol's order. */
  const refuse = ({ pack_id, verb_key, args = {}, authz }: HcpExecRequest): ExecAnswer | null => {
    const no = (error: string, more: object = {}): ExecAnswer => ({
      ok: false,
      pack_id,
      verb_key,
      error,
      ...more,
    });
    const pack = packs.get(pack_id);
    if (pack === undefined) return no(`unknown pack ${pack_id}`);
    const policy = pack.verbs.get(verb_key);
    if (policy === undefined) return no(`no policy for ${verb_key}`);
    const capability = pack.connectVerbs.has(verb_key)
      ? 'pack.connect'
      : (`verb.exec.${policy.operation}` as const);
    if (!holds(authz.principal.id, capability, pack_id, verb_key)) {
      return no(`denied: missing ${capability} for ${pack_id}.${verb_key}`);
    }
    if (policy.land === 'brain') {
      if (!authz.project_id) return no('denied: privacy.land brain requires project_id');
      const members = parts.members?.[authz.project_id] ?? [];
      if (!members.includes(authz.principal.id)) {
        return no(`denied: ${authz.principal.id} is not a member of project ${authz.project_id}`);
      }
    }
    if (policy.confirm !== false && args.confirm !== true && args.apply !== true) {
      return no('confirm required', {
        code: 'confirm_required',
        preview: { command: verb_key, args, cli: commandLine(verb_key, args) },
        hint: 'Nothing ran. Re-run with confirm=true only if the user has approved this exact action with these values.',
      });
    }
    return null;
  };

  const run = ({ pack_id, verb_key, args = {}, authz }: HcpExecRequest): ExecAnswer => {
    const command = adapters[pack_id]?.[verb_key];
    if (command === undefined) return { ok: false, pack_id, verb_key, error: `no adapter for ${verb_key}` };
    const caller = {
      tenantId: authz.tenant_id,
      projectId: authz.project_id,
      principalId: authz.principal.id,
    };
    return { pack_id, verb_key, ...command(args, caller) };
  };

  return {
    id: 'example-memory',
    kind: 'reference',
    listPacks: () => [...packs.values()].map(describePack),
    getPack: (id) => {
      const pack = packs.get(id);
      return pack === undefined ? undefined : describePack(pack);
    },
    connect: (packId, authz) =>
      holds(authz.principal.id, 'pack.connect', packId, 'connect')
        ? { ok: true }
        : { ok: false, error: 'denied: missing pack.connect' },
    async exec(request, { idempotencyKey } = {}) {
      const { pack_id, verb_key, args = {}, authz } = request;
      const note = (ran: boolean): void => {
        const { principal, tenant_id, project_id } = authz;
        const key = idempotencyKey ?? null;
        calls.push(
          structuredClone({
            pack_id,
            verb_key,
            args,
            principal,
            tenant_id,
            project_id,
            idempotency_key: key,
            ran,
          }),
        );
      };
      const scopedKey =
        idempotencyKey === undefined ? null : JSON.stringify([authz.principal.id, idempotencyKey]);
      const fingerprint = fingerprintOf(request);
      const before = scopedKey === null ? undefined : answered.get(scopedKey);
      if (before !== undefined) {
        note(false);
        return before.fingerprint === fingerprint
          ? structuredClone(before.answer)
          : { ok: false, pack_id, verb_key, error: KEY_REUSED, code: 'idempotency_key_reused' };
      }
      // A refusal is not remembered: nothing ran, and a grant may come.
      const refusal = refuse(request);
      note(refusal === null);
      if (refusal !== null) return refusal;
      const answer = run(request);
      if (scopedKey !== null) answered.set(scopedKey, { fingerprint, answer: structuredClone(answer) });
      return answer;
    },
    calls: () => structuredClone(calls),
  };
};

const fingerprintOf = ({ pack_id, verb_key, args = {}, authz }: HcpExecRequest): string =>
  createHash('sha256')
    .update(JSON.stringify([pack_id, verb_key, args, authz.tenant_id, authz.project_id]))
    .digest('hex');

const describePack = (pack: Pack): HcpPack => ({
  pack_id: pack.id,
  policy: {
    verbs: Object.fromEntries(
      [...pack.verbs].map(([key, { operation, land, confirm }]) => [
        key,
        { operation, privacy: { land }, ...(confirm === false ? {} : { confirm }) },
      ]),
    ),
  },
});

const commandLine = (verb: string, args: Readonly<Record<string, unknown>>): string => {
  const flags = Object.entries(args).map(([name, value]) => ` --${name} ${JSON.stringify(value)}`);
  return `${verb.replace('.', ' ')}${flags.join('')} --confirm`;
};
