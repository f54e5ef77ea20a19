import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryRuntime } from '../../examples/runtime/create-memory-runtime.ts';
import { loadExamplePacks } from '../../examples/runtime/load-example-packs.ts';
import { type App, createLogger, readConfig, startApp } from '../../src/index.ts';
import { signDelivery } from '../../src/ingress/sign-delivery.ts';
import { applyDirectory } from '../../src/store/apply-directory.ts';
import { freshDatabase, hasPostgres } from '../helpers/stores.ts';

describe.skipIf(!hasPostgres)('embedded in a product', () => {
  let dir: string;
  let database: Awaited<ReturnType<typeof freshDatabase>>;
  let app: App;
  let runtime: ReturnType<typeof createMemoryRuntime>;
  const secret = `whsec_${randomBytes(32).toString('base64')}`;

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'sense-embed-'));
    database = await freshDatabase();
    await writeFile(
      join(dir, 'sense.yaml'),
      `version: 1
tenant: acme
http: { port: 0 }
packs: [{ dir: ${join(process.cwd(), 'examples/packs/mail')} }]
sources: [{ id: mail-hook, type: webhook, pack: mail, secrets: [{ env: MAIL_SECRET }] }]
database: { url: { env: DATABASE_URL } }
wakes: [{ id: fetch, on: { pack: mail, ref: new_item }, steps: [{ pack: mail, verb: mail.list }] }]
execute: { principal: { id: sense-wake, kind: service }, grants: [{ capability: verb.exec.read, pack_id: mail }] }
`,
    );
    runtime = createMemoryRuntime({
      packs: await loadExamplePacks(),
      grants: [{ principal: 'sense-wake', capability: 'verb.exec.read', pack_id: 'mail' }],
    });
    const loaded = await readConfig({
      file: join(dir, 'sense.yaml'),
      env: { MAIL_SECRET: secret, DATABASE_URL: database.url },
      role: 'all',
    });
    app = await startApp({ loaded, role: 'all', log: createLogger('silent'), driver: runtime });
    await applyDirectory(app.pool, {
      principals: [{ id: 'user_42', kind: 'human', tenant: 'acme', projects: [] }],
      bindings: [
        { id: 'bnd', pack: 'mail', principal: 'user_42', account: 'a', mode: 'user', project: null },
      ],
      grants: [{ id: 'g', principal: 'user_42', capability: 'sense.enable', pack: 'mail', verbKeys: null }],
      activation: { mail: 'on' },
    });
  });
  afterAll(async () => {
    await app?.stop();
    await database?.drop();
    await rm(dir, { recursive: true, force: true });
  });

  it('S32: a driver in process takes what a remote runtime would', async () => {
    const raw = Buffer.from(JSON.stringify({ ref: 'new_item', id: 'e1', account: 'a', data: { id: 'm1' } }));
    const settings = { id: 'mail-hook', type: 'webhook' as const, pack: 'mail' };
    const response = await fetch(`${app.url}/ingress/mail-hook`, {
      method: 'POST',
      headers: signDelivery(settings, secret, { id: 'd1', raw, now: Date.now() }).headers,
      body: raw,
    });
    expect(response.status).toBe(202);
    await expect
      .poll(() => runtime.calls(), { timeout: 10_000 })
      .toMatchObject([
        {
          pack_id: 'mail',
          verb_key: 'mail.list',
          principal: { id: 'sense-wake', kind: 'service' },
          tenant_id: 'acme',
          ran: true,
        },
      ]);
  });
});
