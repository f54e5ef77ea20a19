import type { Pool } from 'pg';
import { pino } from 'pino';
import type { ApiToken } from '../../src/api/caller.ts';
import { createApiRoutes } from '../../src/api/create-api-routes.ts';
import { createCallerIdentifier } from '../../src/api/create-caller-identifier.ts';
import type { Announcement } from '../../src/domain/announcement.ts';
import type { Packs } from '../../src/domain/pack.ts';
import { createServer } from '../../src/ingress/create-server.ts';
import { createBatchRecorder } from '../../src/pipeline/create-batch-recorder.ts';
import { createPool } from '../../src/store/create-pool.ts';
import { sampleBatch, samplePacks, seedDirectory } from '../helpers/samples.ts';
import { freshDatabase } from '../helpers/stores.ts';

const tokens: ApiToken[] = [
  { id: 'ops', role: 'admin', secret: 'admin-secret' },
  { id: 'agent', role: 'invoker', tenant: 'acme', principals: ['*'], secret: 'agent-secret' },
  { id: 'only42', role: 'invoker', tenant: 'acme', principals: ['user_42'], secret: 'only42-secret' },
  { id: 'globex', role: 'invoker', tenant: 'globex', principals: ['*'], secret: 'globex-secret' },
];

export type TestApi = Awaited<ReturnType<typeof startApi>>;

/** The real API over HTTP on a database of its own, and the real recorder to put things into it. */
export const startApi = async ({
  packs = samplePacks,
  replay = async () => undefined,
}: {
  packs?: Packs;
  replay?: (announcement: Announcement) => Promise<void>;
} = {}) => {
  const log = pino({ level: 'silent' });
  const database = await freshDatabase();
  const pool: Pool = createPool(database.url, { log });
  await seedDirectory(pool);
  const recorder = createBatchRecorder({ pool, packs, wakeRules: [], sinks: [], log });
  const server = createServer({ bodyLimit: 1024 * 1024, log });
  await server.register(
    createApiRoutes({ pool, packs, tenant: 'acme', identify: createCallerIdentifier(tokens), replay, log }),
  );
  const url = await server.listen({ host: '127.0.0.1', port: 0 });

  const call = async (
    method: string,
    path: string,
    {
      as = 'agent',
      body,
      signal,
      accept,
    }: { as?: string | null; body?: unknown; signal?: AbortSignal; accept?: string } = {},
  ) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        ...(as === null ? {} : { authorization: `Bearer ${as}-secret` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(accept === undefined ? {} : { accept }),
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.text();
    return { status: response.status, text, headers: response.headers, json: () => JSON.parse(text) };
  };

  return {
    url,
    pool,
    database,
    server,
    call,
    record: async (...announcements: Announcement[]) => recorder.record([sampleBatch(...announcements)]),
    lease: (body: object = {}, as = 'agent') =>
      call('POST', '/v1/inbox/lease', { as, body: { wait_seconds: 0, ...body } }),
    stop: async () => {
      await server.close();
      await pool.end();
      await database.drop();
    },
  };
};
