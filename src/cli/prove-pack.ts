import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { type App, startApp } from '../app.ts';
import type { LoadedConfig, Secrets } from '../config/loaded-config.ts';
import { readPack } from '../config/read-pack.ts';
import { configSchema } from '../config/schema.ts';
import { CodedError } from '../domain/errors.ts';
import type { WakeRule } from '../domain/execute.ts';
import type { Pack } from '../domain/pack.ts';
import { signDelivery } from '../ingress/sign-delivery.ts';
import { createLogger } from '../observe/create-logger.ts';
import { applyDirectory } from '../store/apply-directory.ts';
import { type DeliveryTrace, explainDelivery } from '../store/explain-delivery.ts';
import { revokeCapability } from '../store/revoke-capability.ts';

/** One line of the proof: whether it holds, and what was seen. */
export type ProofLine = { ref: string; holds: boolean; line: string; found: string };
export type Proof = { pack: string; holds: boolean; lines: readonly ProofLine[] };

const principal = 'prover';
const account = 'proof';
const source = 'proof';

/**
 * Runs the two Sense lines of the protocol's proof script (S26) for every trigger of a pack, against the whole product
 * on an embedded Postgres of its own that is deleted afterwards: announced with `sense.enable` on the sink records it,
 * with it off it is dropped and Execute is as it was.
 *
 * @throws CodedError PACK_NOT_FOUND, PACK_FAULTY, EMBEDDED_POSTGRES_FAILED
 */
export const provePack = async (dir: string): Promise<Proof> => {
  const pack = await loadProvablePack(dir);
  const home = await mkdtemp(join(tmpdir(), 'hcp-sense-proof-'));
  // Postgres may have to run as another user (it refuses root), who must be able to enter.
  await chmod(home, 0o711);
  try {
    return await proveIn(home, pack);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
};

const loadProvablePack = async (dir: string): Promise<Pack> => {
  const { pack, faults, missing } = await readPack(dir);
  if (missing.length > 0) throw new CodedError('PACK_NOT_FOUND', `${dir} lacks ${missing.join(' and ')}`);
  if (pack === null) {
    throw new CodedError('PACK_FAULTY', `${dir} does not pass lint`, {
      faults: faults.map(({ file, line, message }) => `${file}:${line}: ${message}`),
    });
  }
  if (pack.stimuli.size === 0) {
    throw new CodedError(
      'PACK_FAULTY',
      `Pack "${pack.id}" declares no trigger, so there is nothing to prove`,
    );
  }
  return pack;
};

const proveIn = async (home: string, pack: Pack): Promise<Proof> => {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const runtime = createWatchedRuntime();
  const loaded = throwAwayConfig(home, pack, secret);
  const app = await startApp({ loaded, role: 'all', log: createLogger('silent'), driver: runtime.driver });
  try {
    await applyDirectory(app.pool, {
      principals: [{ id: principal, kind: 'human', tenant: 'proof', projects: ['proof'] }],
      bindings: [{ id: 'proof', pack: pack.id, principal, account, mode: 'user', project: 'proof' }],
      grants: [
        { id: 'sense', principal, capability: 'sense.enable', pack: pack.id, verbKeys: null },
        { id: 'exec', principal, capability: 'verb.exec.read', pack: pack.id, verbKeys: null },
      ],
      activation: { [pack.id]: 'on' },
    });

    const lines: ProofLine[] = [];
    for (const ref of pack.stimuli.keys()) {
      const { records, drops } = await announce(app, loaded, secret, ref);
      lines.push({
        ref,
        holds: records.length === 1 && drops.length === 0,
        line: `announce ${ref} with sense.enable on  → sink records`,
        found: describe(records, drops),
      });
    }

    // Sense did wake Execute while it was on; whatever that caused must be over before we watch for silence.
    await until(() => runtime.calls() >= loaded.wakeRules.length);
    const before = await executeState(app.pool);
    await revokeCapability(app.pool, principal, 'sense.enable', pack.id);
    for (const ref of pack.stimuli.keys()) {
      const callsBefore = runtime.calls();
      const { records, drops } = await announce(app, loaded, secret, ref);
      const unchanged = runtime.calls() === callsBefore && (await executeState(app.pool)) === before;
      lines.push({
        ref,
        holds: records.length === 0 && drops.length === 1 && unchanged,
        line: `announce ${ref} with sense.enable off → dropped, Execute unchanged`,
        found: `${describe(records, drops)}; Execute ${unchanged ? `was not called again (${runtime.calls()} calls while Sense was on) and its grants are the same` : 'changed'}`,
      });
    }
    return { pack: pack.id, holds: lines.every(({ holds }) => holds), lines };
  } finally {
    await app.stop();
  }
};

const describe = ({ 0: record }: DeliveryTrace['records'], { 0: drop }: DeliveryTrace['drops']): string => {
  if (record !== undefined)
    return `recorded for ${record.principal} as ${record.land}, route ${record.route}`;
  if (drop !== undefined) return `dropped by ${drop.rule} (${drop.reason}): ${drop.why}`;
  return 'nothing was decided within ten seconds';
};

/** Stands in for a runtime and counts what reaches it. */
const createWatchedRuntime = () => {
  let calls = 0;
  return {
    calls: (): number => calls,
    driver: {
      id: 'proof',
      kind: 'in-process',
      exec: ({ pack_id, verb_key }: { pack_id: string; verb_key: string }) => {
        calls += 1;
        return { ok: true, pack_id, verb_key, result: null };
      },
    },
  };
};

/** Execute's side of the directory, as text to compare. */
const executeState = async (pool: Pool): Promise<string> => {
  const { rows } = await pool.query(
    `select grant_id, principal_id, capability, pack_id, verb_keys from sense.grants
     where capability is distinct from 'sense.enable' order by grant_id`,
  );
  return JSON.stringify(rows);
};

const announce = async (app: App, loaded: LoadedConfig, secret: string, ref: string) => {
  const [settings] = loaded.config.sources;
  if (settings?.type !== 'webhook')
    throw new CodedError('INTERNAL', 'the throw-away configuration has no source');
  const id = `proof-${randomBytes(9).toString('base64url')}`;
  const raw = Buffer.from(JSON.stringify({ ref, id, account, state: 'proof', data: { proof: true } }));
  const { headers } = signDelivery(settings, secret, { id, raw, now: Date.now() });
  const response = await fetch(`${app.url}/ingress/${source}`, { method: 'POST', headers, body: raw });
  if (!response.ok) throw new CodedError('INTERNAL', `the throw-away instance answered ${response.status}`);
  return decisionsOf(app.pool, id);
};

const decisionsOf = async (pool: Pool, delivery: string): Promise<DeliveryTrace> => {
  let trace = await explainDelivery(pool, source, delivery);
  await until(async () => {
    trace = await explainDelivery(pool, source, delivery);
    return trace.records.length + trace.drops.length > 0;
  });
  return trace;
};

/** Looks again and again until it is so, for at most ten seconds. */
const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
  const deadline = Date.now() + 10_000;
  while (!(await isSo()) && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 25));
};

/** Every trigger wakes one read command, so that silence after the revoke is Sense's doing and not for want of a wake. */
const proofWakes = (pack: Pack): WakeRule[] => {
  const verb = [...pack.verbs].find(
    ([name, row]) => row.operation === 'read' && row.land !== 'brain' && !pack.connectVerbs.has(name),
  )?.[0];
  if (verb === undefined) return [];
  return [...pack.stimuli.keys()].map((ref, index) => ({
    id: `proof-${index}`,
    on: { pack: pack.id, ref },
    steps: [{ pack: pack.id, verb, args: {} }],
    coalesceMs: 0,
    perPrincipalPerHour: null,
  }));
};

const secretsOf = (secret: string): Secrets => ({
  sources: new Map([[source, [secret]]]),
  params: new Map(),
  tokens: new Map(),
  execute: null,
});

const throwAwayConfig = (home: string, pack: Pack, secret: string): LoadedConfig => ({
  file: join(home, 'sense.yaml'),
  dir: home,
  home,
  config: configSchema.parse({
    version: 1,
    tenant: 'proof',
    http: { host: '127.0.0.1', port: 0 },
    packs: [{ dir: home }],
    // `local` triggers belong to a workspace; the throw-away directory is one.
    sources: [{ id: source, type: 'webhook', pack: pack.id, cwd: home, secrets: [{ env: 'PROOF' }] }],
    queue: { partitions: 1 },
    // Never called: the watched runtime stands in for it. Its grants are what the client checks.
    execute: {
      url: 'http://127.0.0.1:9/exec',
      token: { env: 'PROOF' },
      principal: { id: 'proof', kind: 'service' },
      grants: [{ capability: 'verb.exec.read', pack_id: pack.id }],
    },
  }),
  packs: new Map([[pack.id, { pack, routes: new Map() }]]),
  secrets: secretsOf(secret),
  readSecrets: async () => secretsOf(secret),
  stores: {
    database: { kind: 'embedded', dir: join(home, 'postgres') },
    queue: { kind: 'embedded', dir: join(home, 'postgres') },
  },
  wakeRules: proofWakes(pack),
});
