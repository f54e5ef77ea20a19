import { request as httpRequest } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { pino } from 'pino';
import type { Announcement } from '../../src/domain/announcement.ts';
import { createIngressRoutes, type DeliveryFact } from '../../src/ingress/create-ingress-routes.ts';
import { createServer } from '../../src/ingress/create-server.ts';
import { createSource, type SourceContext } from '../../src/ingress/create-source.ts';
import type { Gate } from '../../src/ingress/gate.ts';
import type { SourceSettings } from '../../src/ingress/source.ts';

/** A secret of Standard Webhooks' form, made up for tests. */
export const whsec = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`;

export type TestSource = { settings: SourceSettings; secrets: readonly string[]; context?: SourceContext };

/** The real server on a free port, with an `enqueue` that only keeps what it is given. */
export const startIngress = async (
  testSources: readonly TestSource[],
  options: {
    enqueue?: (announcements: readonly Announcement[]) => Promise<void>;
    bodyLimit?: number;
    requestTimeoutMs?: number;
    bodyDeadlineMs?: number;
    gates?: Readonly<Record<string, Partial<Gate>>>;
    trustedProxies?: readonly string[];
    now?: number;
    isStopping?: () => boolean;
  } = {},
) => {
  const enqueued: Announcement[] = [];
  const facts: DeliveryFact[] = [];
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  const timeout = options.requestTimeoutMs;
  const app = createServer({
    bodyLimit: options.bodyLimit ?? 1024 * 1024,
    log,
    trustedProxies: options.trustedProxies ?? [],
    ...(timeout === undefined ? {} : { requestTimeoutMs: timeout }),
  });
  const openGate: Gate = {
    bodyLimit: options.bodyLimit ?? 1024 * 1024,
    paused: false,
    admitsPeer: null,
    spend: null,
  };
  await app.register(
    createIngressRoutes({
      sources: new Map(
        testSources.map(({ settings, secrets, context }) => [
          settings.id,
          createSource(settings, secrets, context),
        ]),
      ),
      gates: new Map(Object.entries(options.gates ?? {}).map(([id, gate]) => [id, { ...openGate, ...gate }])),
      bodyDeadlineMs: options.bodyDeadlineMs ?? 30_000,
      enqueue:
        options.enqueue ??
        (async (announcements) => {
          enqueued.push(...announcements);
        }),
      clock: () => options.now ?? Date.now(),
      log,
      onDelivery: (fact) => facts.push(fact),
      isStopping: options.isStopping ?? (() => false),
    }),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;

  return {
    app,
    port,
    url: `http://127.0.0.1:${port}`,
    enqueued,
    facts,
    lines,
    /** As bytes, because `fetch` adds a content type of its own to text. */
    post: (source: string, headers: Readonly<Record<string, string>>, raw: Uint8Array | string) =>
      fetch(`http://127.0.0.1:${port}/ingress/${source}`, {
        method: 'POST',
        headers,
        body: typeof raw === 'string' ? new TextEncoder().encode(raw) : new Uint8Array(raw),
      }),
    close: () => app.close(),
  };
};

export type Ingress = Awaited<ReturnType<typeof startIngress>>;

/** Writes raw bytes to a socket, chunk by chunk, and resolves with all that came back until the other side closed. */
export const speakRaw = (port: number, chunks: readonly Uint8Array[], end = true): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    socket.setNoDelay(true);
    const parts: Buffer[] = [];
    socket.on('data', (part) => parts.push(part));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(parts).toString('latin1')));
    socket.on('connect', async () => {
      for (const chunk of chunks) {
        socket.write(chunk);
        await new Promise((next) => setImmediate(next));
      }
      if (end) socket.end();
    });
  });

/** `fetch` normalises headers; this sends exactly what it is given, repeats included. */
export const sendRaw = (
  port: number,
  path: string,
  options: { method?: string; headers?: readonly [string, string][]; body?: Uint8Array },
): Promise<{ status: number; headers: Record<string, unknown>; body: string }> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: '127.0.0.1', port, path, method: options.method ?? 'POST', agent: false },
      (answer) => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(parts).toString('utf8'),
          }),
        );
      },
    );
    request.on('error', reject);
    const values = new Map<string, string[]>();
    for (const [name, value] of options.headers ?? []) values.set(name, [...(values.get(name) ?? []), value]);
    for (const [name, list] of values) request.setHeader(name, list.length === 1 ? (list[0] ?? '') : list);
    request.setHeader('content-length', options.body?.length ?? 0);
    request.end(options.body);
  });

/** The error code of an answer in the contract's shape. */
export const codeOf = async (answer: Response): Promise<unknown> => {
  const body: unknown = await answer.json();
  const error = typeof body === 'object' && body !== null ? Reflect.get(body, 'error') : undefined;
  return typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
};
