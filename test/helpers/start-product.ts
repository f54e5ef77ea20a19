import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { sign as signGithub } from '@octokit/webhooks-methods';
import { Pool } from 'pg';
import { pino } from 'pino';
import { Webhook } from 'standardwebhooks';
import {
  createMemoryRuntime,
  type MemoryRuntime,
  type RuntimeCall,
  type RuntimeGrant,
} from '../../examples/runtime/create-memory-runtime.ts';
import { createRuntimeServer } from '../../examples/runtime/create-runtime-server.ts';
import { loadExamplePacks } from '../../examples/runtime/load-example-packs.ts';
import type { Role } from '../../src/config/loaded-config.ts';
import { readConfig } from '../../src/config/read-config.ts';
import { parseDirectory } from '../../src/domain/directory-schema.ts';
import type { RecordHead } from '../../src/domain/record.ts';
import { applyDirectory } from '../../src/store/apply-directory.ts';
import { createPool } from '../../src/store/create-pool.ts';
import { freshDatabase } from './stores.ts';
import { waitFor } from './wait-for.ts';

const root = resolve(import.meta.dirname, '..', '..');
const main = join(root, 'dist', 'src', 'main.js');

type Section = Record<string, unknown>;
export type ProductOptions = {
  /** The queue's URL; a fresh store. */
  queueUrl: string;
  /** Processes to start; left out: one of role `all`. More can be started, killed and started again later. */
  roles?: readonly Role[];
  /** Top-level sections of sense.yaml that replace those of `defaultConfig`; undefined takes one out. */
  config?: Section | ((usual: Section) => Section);
  /** Replaces the whole directory; null: none is applied. */
  directory?: Section | null;
  /** What the runtime itself grants the wake; left out: everything, so that what stops a command is the product. */
  runtimeGrants?: readonly RuntimeGrant[];
  /** Called for each command that reaches the runtime, before it is run. */
  onExec?: (call: {
    pack_id: string;
    verb_key: string;
    args: unknown;
    key: string | undefined;
  }) => Promise<void>;
};

export type LogLine = { level: string; msg: string; [fact: string]: unknown };

export type ProductProcess = {
  role: Role;
  pid: number;
  /** Where it listens; empty until it is ready. */
  url: string;
  logs(): readonly LogLine[];
  /** Everything it wrote that is no log line of ours. */
  noise(): readonly string[];
  running(): boolean;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  /** Sends the signal and waits for the end. */
  kill(signal: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  readiness(): Promise<{ status: number; body: ReadyBody }>;
};
type ReadyBody = {
  ready: boolean;
  stopping: boolean;
  checks: Record<string, { ok: boolean; detail?: string }>;
};

export type Answer = { status: number; headers: Headers; text: string; json(): unknown; deliveryId: string };
export type SentRecord = RecordHead & { data: unknown };
export type AnnouncementBody = {
  ref: string;
  id: string;
  account?: string;
  occurred_at?: string;
  state?: string;
  data?: unknown;
};

export type Product = Awaited<ReturnType<typeof startProduct>>;

const makeSecrets = () => ({
  MAIL_SECRET: `whsec_${randomBytes(24).toString('base64')}`,
  GITHUB_SECRET: randomBytes(18).toString('base64url'),
  WATCHER_SECRET: randomBytes(18).toString('base64url'),
  ADMIN_TOKEN: randomBytes(18).toString('base64url'),
  INVOKER_TOKEN: randomBytes(18).toString('base64url'),
  EXEC_TOKEN: randomBytes(18).toString('base64url'),
});

/** Only the roles that need a secret are given it, so that a process that reads more than its own does not start (G7). */
const secretsOf: Record<Role, readonly (keyof ReturnType<typeof makeSecrets>)[]> = {
  all: ['MAIL_SECRET', 'GITHUB_SECRET', 'WATCHER_SECRET', 'ADMIN_TOKEN', 'INVOKER_TOKEN', 'EXEC_TOKEN'],
  ingress: ['MAIL_SECRET', 'GITHUB_SECRET', 'WATCHER_SECRET', 'ADMIN_TOKEN', 'INVOKER_TOKEN'],
  worker: [],
  wake: ['EXEC_TOKEN'],
  fanout: [],
};

const defaultConfig = ({ home, runtimeUrl }: { home: string; runtimeUrl: string }): Section => ({
  version: 1,
  tenant: 'acme',
  http: { host: '127.0.0.1', port: 0, body_limit: '1mb' },
  packs: [
    { dir: join(home, 'packs', 'mail'), routes: { 'item.updated': 'silent' } },
    { dir: join(home, 'packs', 'issues'), routes: { 'run.failed': 'inbox' } },
    { dir: join(home, 'packs', 'watcher'), routes: { 'file.changed': 'inbox' } },
  ],
  sources: [
    { id: 'mail-hook', type: 'webhook', pack: 'mail', secrets: [{ env: 'MAIL_SECRET' }] },
    { id: 'github', type: 'vendor', vendor: 'github', pack: 'issues', secrets: [{ env: 'GITHUB_SECRET' }] },
    {
      id: 'watcher-hook',
      type: 'webhook',
      pack: 'watcher',
      cwd: join(home, 'workspace'),
      binding: 'bnd_ws',
      secrets: [{ env: 'WATCHER_SECRET' }],
      signature: { header: 'x-watcher-signature', algorithm: 'sha256', encoding: 'hex', prefix: 'sha256=' },
    },
  ],
  queue: { url: { env: 'QUEUE_URL' }, partitions: 4 },
  database: { url: { env: 'DATABASE_URL' } },
  wakes: [
    {
      id: 'fetch-mail',
      on: { pack: 'mail', ref: 'new_item' },
      steps: [
        { pack: 'mail', verb: 'mail.list' },
        { pack: 'mail', verb: 'mail.get', args: { id: '$.data.id' } },
      ],
    },
    {
      id: 'look-at-issues',
      on: { pack: 'issues', ref: 'new_item' },
      steps: [{ pack: 'issues', verb: 'issues.list' }],
    },
  ],
  execute: {
    url: runtimeUrl,
    token: { env: 'EXEC_TOKEN' },
    principal: { id: 'sense-wake', kind: 'service' },
    grants: [
      { capability: 'verb.exec.read', pack_id: 'mail' },
      { capability: 'verb.exec.read', pack_id: 'issues' },
    ],
  },
  tokens: [
    { id: 'ops', role: 'admin', secret: { env: 'ADMIN_TOKEN' } },
    { id: 'agent', role: 'invoker', tenant: 'acme', principals: ['*'], secret: { env: 'INVOKER_TOKEN' } },
  ],
});

/** user_42 has an account in each pack; user_43 a mailbox only, under a grant of its own. */
export const defaultDirectory = {
  principals: [
    { id: 'user_42', kind: 'human', tenant: 'acme', projects: ['apollo'] },
    { id: 'user_43', kind: 'human', tenant: 'acme', projects: [] },
  ],
  bindings: [
    { id: 'bnd_mail', pack: 'mail', principal: 'user_42', account: 'inbox@example.com', mode: 'user' },
    { id: 'bnd_work', pack: 'mail', principal: 'user_42', account: 'work@example.com', mode: 'user' },
    { id: 'bnd_43', pack: 'mail', principal: 'user_43', account: 'other@example.com', mode: 'user' },
    { id: 'bnd_issues', pack: 'issues', principal: 'user_42', account: 'installation:77', project: 'apollo' },
    { id: 'bnd_ws', pack: 'watcher', principal: 'user_42', mode: 'local' },
  ],
  grants: [
    { id: 'g_mail', principal: 'user_42', capability: 'sense.enable', pack: 'mail' },
    { id: 'g_43', principal: 'user_43', capability: 'sense.enable', pack: 'mail' },
    { id: 'g_issues', principal: 'user_42', capability: 'sense.enable', pack: 'issues' },
    { id: 'g_ws', principal: 'user_42', capability: 'sense.enable', pack: 'watcher' },
  ],
  activation: { mail: 'on', issues: 'on', watcher: 'on' },
};

/**
 * The whole product as an operator runs it: child processes of the built main.js on a fresh database and the queue
 * store given, three sources, the example packs (in a copy of its own), a directory, and the example runtime as
 * Execute. `stop` ends everything that was started, in whatever state it is; so does a start that fails.
 */
export const startProduct = async (options: ProductOptions) => {
  if (!existsSync(main)) throw new Error(`${main} is not there: npm run build`);
  const ends: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end().catch(() => undefined);
  };
  try {
    return await assemble(options, ends, stop);
  } catch (error) {
    await stop();
    throw error;
  }
};

const assemble = async (
  {
    queueUrl,
    roles = ['all'],
    config: over = {},
    directory = defaultDirectory,
    onExec,
    runtimeGrants = everyGrant,
  }: ProductOptions,
  ends: (() => Promise<unknown>)[],
  stop: () => Promise<void>,
) => {
  const home = await mkdtemp(join(tmpdir(), 'sense-product-'));
  ends.push(() => rm(home, { recursive: true, force: true }));
  await cp(join(root, 'examples', 'packs'), join(home, 'packs'), { recursive: true });
  await mkdir(join(home, 'workspace'));

  const database = await freshDatabase();
  ends.push(database.drop);
  const pool = new Pool({ connectionString: database.url, max: 4, application_name: 'test' });
  // Tests cut off all connections of the database, ours as well.
  pool.on('error', () => undefined);
  ends.push(() => pool.end());

  const secrets = makeSecrets();
  const runtime = await startRuntime(secrets.EXEC_TOKEN, runtimeGrants, onExec);
  ends.push(runtime.close);

  const usual = defaultConfig({ home, runtimeUrl: runtime.url });
  const config = { ...usual, ...(typeof over === 'function' ? over(usual) : over) };
  const configFile = join(home, 'sense.yaml');
  // Every JSON text is YAML.
  await writeFile(configFile, JSON.stringify(config, null, 2));
  const stores = { DATABASE_URL: database.url, QUEUE_URL: queueUrl };
  const environment = (names: readonly (keyof typeof secrets)[]): Record<string, string> => ({
    PATH: process.env.PATH ?? '',
    HOME: home,
    SENSE_TEST_RUN: process.env.SENSE_TEST_RUN ?? '',
    ...stores,
    ...Object.fromEntries(names.map((name) => [name, secrets[name]])),
  });

  const processes = new Set<ProductProcess>();
  ends.push(async () => {
    await Promise.all([...processes].map((each) => each.kill('SIGKILL')));
  });

  const apply = async (written: Section): Promise<void> => {
    const { packs, config: read } = await readConfig({ file: configFile, env: environment([]), role: null });
    const parsed = parseDirectory(written, { tenant: read.tenant, packs });
    if (!parsed.ok) throw new Error(parsed.faults.map(({ message }) => message).join('; '));
    const own = createPool(database.url, { log: pino({ level: 'silent' }), max: 1 });
    try {
      await applyDirectory(own, parsed.directory);
    } finally {
      await own.end();
    }
  };

  /** Starts a process and returns at once; `url` is empty until it says that it is ready. */
  const launch = (role: Role, { env = {} }: { env?: Record<string, string> } = {}): ProductProcess => {
    const child = spawn(
      process.execPath,
      [main, 'start', '--role', role, '--port', '0', '--config', configFile],
      { cwd: home, env: { ...environment(secretsOf[role]), ...env }, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const started = watch(role, child);
    processes.add(started);
    return started;
  };

  const untilReady = async (started: ProductProcess): Promise<ProductProcess> => {
    await waitFor(`${started.role} is ready`, async () => {
      if (!started.running()) {
        const said = [...started.noise(), ...started.logs().map((line) => JSON.stringify(line))];
        throw new Error(`${started.role} ended: ${said.slice(-8).join('\n')}`);
      }
      return started.url !== '' && (await started.readiness()).status === 200;
    });
    return started;
  };

  const start = (role: Role, how: { env?: Record<string, string> } = {}): Promise<ProductProcess> =>
    untilReady(launch(role, how));

  const the = (...wanted: Role[]): ProductProcess => {
    const found = [...processes].reverse().find((each) => wanted.includes(each.role) && each.running());
    if (found === undefined) throw new Error(`no process of role ${wanted.join(' or ')} is running`);
    return found;
  };
  const url = (): string => the('all', 'ingress').url;

  const request = async (method: string, path: string, init: RequestInit = {}): Promise<Answer> => {
    const response = await fetch(`${url()}${path}`, { ...init, method });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: () => JSON.parse(text),
      deliveryId: response.headers.get('x-delivery-id') ?? '',
    };
  };

  const post = (source: string, body: string | Buffer, headers: Record<string, string>): Promise<Answer> =>
    request('POST', `/ingress/${source}`, {
      headers: { 'content-type': 'application/json', ...headers },
      body: new Uint8Array(Buffer.from(body)),
    });

  const signed = {
    /** Standard Webhooks, signed by the standard's own library. */
    mail: (body: string, delivery: string = randomUUID()): Record<string, string> => {
      const now = new Date();
      return {
        'webhook-id': delivery,
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': new Webhook(secrets.MAIL_SECRET).sign(delivery, now, body),
      };
    },
    /** As GitHub signs, by its own library. */
    github: async (event: string, body: string, delivery: string = randomUUID()) => ({
      'x-github-event': event,
      'x-github-delivery': delivery,
      'x-hub-signature-256': await signGithub(secrets.GITHUB_SECRET, body),
    }),
    watcher: (body: string) => ({
      'x-watcher-signature': `sha256=${createHmac('sha256', secrets.WATCHER_SECRET).update(body).digest('hex')}`,
    }),
  };

  const deliver = {
    mail: (announcements: AnnouncementBody | readonly AnnouncementBody[] | string, delivery?: string) => {
      const body = typeof announcements === 'string' ? announcements : JSON.stringify(announcements);
      return post('mail-hook', body, signed.mail(body, delivery));
    },
    github: async (event: string, payload: unknown, delivery?: string) => {
      const body = JSON.stringify(payload);
      return post('github', body, await signed.github(event, body, delivery));
    },
    watcher: (announcement: AnnouncementBody) => {
      const body = JSON.stringify(announcement);
      return post('watcher-hook', body, signed.watcher(body));
    },
  };

  const api = (
    method: string,
    path: string,
    { as = 'agent', body }: { as?: 'agent' | 'ops' | null; body?: unknown } = {},
  ): Promise<Answer> =>
    request(method, path, {
      headers: {
        ...(as === null
          ? {}
          : { authorization: `Bearer ${as === 'ops' ? secrets.ADMIN_TOKEN : secrets.INVOKER_TOKEN}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  const lease = async (
    body: Section = {},
  ): Promise<{ leaseId: string | null; records: SentRecord[]; text: string }> => {
    const answer = await api('POST', '/v1/inbox/lease', { body: { wait_seconds: 0, ...body } });
    if (answer.status !== 200) throw new Error(`lease: ${answer.status} ${answer.text}`);
    const { lease_id: leaseId, records } = answer.json() as {
      lease_id: string | null;
      records: SentRecord[];
    };
    return { leaseId, records, text: answer.text };
  };

  const explain = async (source: string, delivery: string) => {
    const query = new URLSearchParams({ source, delivery_id: delivery });
    const answer = await api('GET', `/v1/explain?${query}`, { as: 'ops' });
    return answer.json() as {
      found: boolean;
      summary: string;
      decisions: {
        outcome: string;
        rule: string;
        why: string;
        reason: string | null;
        wakes: { state: string }[];
      }[];
    };
  };

  /** The one decision about a delivery of one announcement, once it was made. */
  const decisionOf = (source: string, delivery: string) =>
    waitFor(`a decision about ${delivery}`, async () => (await explain(source, delivery)).decisions[0]);

  const count = async (table: 'records' | 'drops' | 'wakes' | 'dead_letters' | 'batches', where = 'true') => {
    const { rows } = await pool.query<{ n: number }>(
      `select count(*)::int as n from sense.${table} where ${where}`,
    );
    return rows[0]?.n ?? 0;
  };

  /** Runs a command of the CLI, as an operator would in this product's environment. */
  const cli = async (
    ...words: string[]
  ): Promise<{ code: number | null; stdout: string; stderr: string }> => {
    const child = spawn(process.execPath, [main, ...words], {
      cwd: home,
      env: { ...environment(secretsOf.all), SENSE_CONFIG: configFile },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    ends.push(async () => {
      child.kill('SIGKILL');
    });
    const [stdout, stderr] = await Promise.all([readAll(child.stdout), readAll(child.stderr), ended(child)]);
    return { code: child.exitCode, stdout, stderr };
  };

  if (directory !== null) await apply(directory);
  for (const started of roles.map((role) => launch(role))) await untilReady(started);

  return {
    home,
    configFile,
    databaseUrl: database.url,
    queueUrl,
    pool,
    secrets,
    runtime,
    apply,
    launch,
    untilReady,
    start,
    the,
    url,
    request,
    post,
    signed,
    deliver,
    api,
    lease,
    explain,
    decisionOf,
    count,
    cli,
    stop,
  };
};

const everyGrant: readonly RuntimeGrant[] = ['mail', 'issues'].flatMap((pack_id) =>
  ['verb.exec.read', 'verb.exec.write', 'pack.connect'].map((capability) => ({
    principal: 'sense-wake',
    capability,
    pack_id,
  })),
);

const startRuntime = async (
  token: string,
  grants: readonly RuntimeGrant[],
  onExec: ProductOptions['onExec'],
) => {
  const memory = createMemoryRuntime({
    packs: await loadExamplePacks(),
    grants,
    members: { apollo: ['sense-wake'] },
  });
  const runtime: MemoryRuntime = {
    ...memory,
    async exec(request, how) {
      const { pack_id, verb_key, args } = request;
      await onExec?.({ pack_id, verb_key, args, key: how?.idempotencyKey });
      return memory.exec(request, how);
    },
  };
  const server = createRuntimeServer({ runtime, token });
  const url = await server.listen(0);
  return {
    url,
    calls: (): readonly RuntimeCall[] => memory.calls(),
    /** Commands that had an effect: a repeat under the same key has none. */
    ran: (verb: string): readonly RuntimeCall[] =>
      memory.calls().filter(({ verb_key, ran }) => verb_key === verb && ran),
    close: server.close,
  };
};

const watch = (role: Role, child: ChildProcess): ProductProcess => {
  const logs: LogLine[] = [];
  const noise: string[] = [];
  const end = ended(child);
  const running = () => child.exitCode === null && child.signalCode === null;
  const started: ProductProcess = {
    role,
    pid: child.pid ?? 0,
    url: '',
    logs: () => logs,
    noise: () => noise,
    running,
    ended: end,
    async kill(signal) {
      if (running()) child.kill(signal);
      return end;
    },
    async readiness() {
      const response = await fetch(`${started.url}/readyz`);
      return { status: response.status, body: (await response.json()) as ReadyBody };
    },
  };
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue;
    createInterface({ input: stream }).on('line', (text) => {
      const line = parseLine(text);
      if (line === null) noise.push(text);
      else logs.push(line);
      if (line?.msg === 'process.ready') started.url = String(line.url);
    });
  }
  return started;
};

const parseLine = (text: string): LogLine | null => {
  try {
    const line = JSON.parse(text) as unknown;
    return typeof line === 'object' && line !== null && 'msg' in line ? (line as LogLine) : null;
  } catch {
    return null;
  }
};

const ended = (child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> =>
  new Promise((done) => {
    child.once('error', () => done({ code: null, signal: null }));
    child.once('exit', (code, signal) => done({ code, signal }));
  });

const readAll = async (stream: NodeJS.ReadableStream | null): Promise<string> => {
  let text = '';
  if (stream !== null) for await (const chunk of stream) text += String(chunk);
  return text;
};
