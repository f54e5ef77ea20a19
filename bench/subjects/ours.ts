import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { findFreePort } from '../../src/embedded/find-free-port.ts';
import { applyDirectory } from '../../src/store/apply-directory.ts';
import { createPool } from '../../src/store/create-pool.ts';
import { startProcess } from '../harness/start-process.ts';
import type { Subject } from './subject.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** Everything switched on that this path has: attribution, a wake rule on the ref, a sink, tokens, metrics, log. */
const configuration = {
  version: 1,
  tenant: 'acme',
  packs: [{ dir: join(root, 'examples', 'packs', 'mail') }],
  sources: [{ id: 'mail-hook', type: 'webhook', pack: 'mail', secrets: [{ env: 'MAIL_SECRET' }] }],
  queue: { url: { env: 'QUEUE_URL' }, partitions: 4 },
  database: { url: { env: 'DATABASE_URL' } },
  sinks: { inbox_queue: { name: 'sense-inbox' }, badges: {} },
  wakes: [
    {
      id: 'fetch-mail',
      on: { pack: 'mail', ref: 'new_item' },
      steps: [{ pack: 'mail', verb: 'mail.get', args: { id: '$.data.id' } }],
      budget: { per_principal_per_hour: 60 },
    },
  ],
  execute: {
    url: 'http://127.0.0.1:9/exec',
    token: { env: 'EXEC_TOKEN' },
    principal: { id: 'sense-wake', kind: 'service' },
    grants: [{ capability: 'verb.exec.read', pack_id: 'mail' }],
  },
  tokens: [
    { id: 'ops', role: 'admin', secret: { env: 'ADMIN_TOKEN' } },
    { id: 'agent', role: 'invoker', tenant: 'acme', principals: ['*'], secret: { env: 'INVOKER_TOKEN' } },
  ],
};

const createDirectory = (accounts: number) => {
  const numbers = Array.from({ length: accounts }, (_, index) => index);
  return {
    principals: numbers.map((n) => ({ id: `user_${n}`, kind: 'human', tenant: 'acme', projects: [] })),
    bindings: numbers.map((n) => ({
      id: `bnd_${n}`,
      pack: 'mail',
      principal: `user_${n}`,
      account: `user-${n}@example.com`,
      mode: 'user' as const,
      project: null,
    })),
    grants: numbers.map((n) => ({
      id: `sense_${n}`,
      principal: `user_${n}`,
      capability: 'sense.enable' as const,
      pack: 'mail',
      verbKeys: null,
    })),
    activation: { mail: 'on' as const },
  };
};

export const ours: Subject = {
  id: 'ours',
  title: '(c) hcp-sense',
  relation: 'sense.records',
  async start({ stores, dir, secret, accounts, nodeArgs, receiverOnly }) {
    if (stores === null) throw new Error('ours needs stores');
    const pool = createPool(stores.databaseUrl, { log: pino({ level: 'silent' }) });
    await applyDirectory(pool, createDirectory(accounts));
    await pool.end();
    // JSON is YAML.
    const file = join(dir, 'sense.yaml');
    await writeFile(file, JSON.stringify(configuration));

    const start = async (role: 'ingress' | 'worker') => {
      const port = await findFreePort();
      const main = join(root, 'dist', 'src', 'main.js');
      const process = await startProcess({
        name: role,
        args: [...nodeArgs, main, 'start', '--role', role, '--port', String(port), '-c', file],
        env: {
          MAIL_SECRET: secret,
          EXEC_TOKEN: 'bench-execute',
          ADMIN_TOKEN: 'bench-admin-token',
          INVOKER_TOKEN: 'bench-invoker-token',
          QUEUE_URL: stores.queueUrl,
          DATABASE_URL: stores.databaseUrl,
          NODE_ENV: 'production',
        },
        logFile: join(dir, `${role}.log`),
        port,
      });
      return { process, port };
    };
    const worker = receiverOnly ? [] : [(await start('worker')).process];
    const ingress = await start('ingress');
    return { processes: [ingress.process, ...worker], port: ingress.port, path: '/ingress/mail-hook' };
  },
};
