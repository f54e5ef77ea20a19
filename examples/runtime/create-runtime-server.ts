import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { z } from 'zod';
import { KEY_REUSED, type MemoryRuntime } from './create-memory-runtime.ts';

type RuntimeServerParts = { runtime: MemoryRuntime; token: string };

export type RuntimeServer = {
  /** @returns the address of the exec endpoint */
  listen(port: number, host?: string): Promise<string>;
  close(): Promise<void>;
};

/** The protocol's envelope, as a request. */
const envelope = z.strictObject({
  pack_id: z.string(),
  verb_key: z.string(),
  args: z.record(z.string(), z.unknown()).default({}),
  principal: z.strictObject({ id: z.string().min(1), kind: z.string().min(1) }),
  tenant_id: z.string().min(1),
  project_id: z.string().min(1).nullable().default(null),
});

const MAX_BYTES = 1024 * 1024;

/**
 * The runtime behind HTTP: `POST /exec` with a bearer token, an envelope in and an envelope out; `GET /calls` says what
 * came in; `GET /healthz`.
 */
export const createRuntimeServer = ({ runtime, token }: RuntimeServerParts): RuntimeServer => {
  const server = createServer((request, response) => {
    handle(request).then(
      ([status, body]) => reply(response, status, body),
      () => reply(response, 500, { error: 'internal' }),
    );
  });

  const handle = async (request: IncomingMessage): Promise<[number, unknown]> => {
    const { pathname } = new URL(request.url ?? '/', 'http://runtime.invalid');
    if (request.method === 'GET' && pathname === '/healthz') return [200, { ok: true }];
    if (!isBearer(request.headers.authorization, token)) return [401, { error: 'unauthorized' }];
    if (request.method === 'GET' && pathname === '/calls') return [200, { calls: runtime.calls() }];
    if (request.method !== 'POST' || pathname !== '/exec') return [404, { error: 'not found' }];

    const text = await readBody(request);
    if (text === null) return [413, { error: 'body too large' }];
    const parsed = envelope.safeParse(parseJson(text));
    if (!parsed.success) return [400, { error: 'not an exec envelope' }];
    const { pack_id, verb_key, args, principal, tenant_id, project_id } = parsed.data;
    const key = request.headers['idempotency-key'];
    const answer = await runtime.exec(
      { pack_id, verb_key, args, authz: { principal, tenant_id, project_id, grants: [] } },
      typeof key === 'string' && key !== '' ? { idempotencyKey: key } : {},
    );
    return [!answer.ok && answer.error === KEY_REUSED ? 422 : 200, answer];
  };

  return {
    async listen(port, host = '127.0.0.1') {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, resolve);
      });
      return `http://${host}:${(server.address() as AddressInfo).port}/exec`;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
};

const reply = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** Hashed first, so that neither content nor length shows in the time it takes. */
const isBearer = (header: string | undefined, token: string): boolean => {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(header ?? ''), hash(`Bearer ${token}`));
};

const readBody = async (request: IncomingMessage): Promise<string | null> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};
