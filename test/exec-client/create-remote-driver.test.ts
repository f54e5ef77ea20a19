import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { pino } from 'pino';
import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryRuntime } from '../../examples/runtime/create-memory-runtime.ts';
import { createRuntimeServer } from '../../examples/runtime/create-runtime-server.ts';
import { createExecClient } from '../../src/exec-client/create-exec-client.ts';
import { createRemoteDriver } from '../../src/exec-client/create-remote-driver.ts';
import { loadedVerbPacks, verbPacks } from './verb-packs.ts';

const log = pino({ level: 'silent' });
const principal = { id: 'sense-wake', kind: 'service' };
const context = { tenantId: 'acme', projectId: 'apollo' };
const step = { pack: 'mail', verb: 'mail.get', args: { id: 'm1' } };
const envelope = { ok: true, pack_id: 'mail', verb_key: 'mail.get', result: { id: 'm1' } };

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(
    () =>
      new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      }),
  );
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/exec`;
};

const clientOf = (url: string, over: { token?: string; timeoutMs?: number; maxAnswerBytes?: number } = {}) =>
  createExecClient({
    driver: createRemoteDriver({ url, token: 'tok', timeoutMs: 5_000, ...over }),
    grants: [
      { capability: 'verb.exec.read', pack_id: 'mail' },
      { capability: 'verb.exec.write', pack_id: 'mail' },
      { capability: 'verb.exec.read', pack_id: 'issues' },
    ],
    packs: loadedVerbPacks,
    principal,
    log,
  });

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};

describe('createRemoteDriver', () => {
  it('S31: sends the envelope with token and key, and nothing else', async () => {
    const seen: { headers: IncomingMessage['headers']; body: unknown; method: string | undefined }[] = [];
    const url = await serve((request, response) => {
      void bodyOf(request).then((text) => {
        seen.push({ headers: request.headers, body: JSON.parse(text), method: request.method });
        response.end(JSON.stringify(envelope));
      });
    });
    expect(await clientOf(url).execute(step, context, 'wake:0')).toMatchObject({
      outcome: 'done',
      result: { id: 'm1' },
    });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.method).toBe('POST');
    expect(seen[0]?.body).toStrictEqual({
      pack_id: 'mail',
      verb_key: 'mail.get',
      args: { id: 'm1' },
      principal,
      tenant_id: 'acme',
      project_id: 'apollo',
    });
    expect(seen[0]?.headers).toMatchObject({
      authorization: 'Bearer tok',
      'idempotency-key': 'wake:0',
      'content-type': 'application/json',
    });
  });

  it('S32: works the example runtime over HTTP: done, denied, asks, and one effect per key', async () => {
    const runtime = createMemoryRuntime({
      packs: verbPacks,
      grants: [
        { principal: 'sense-wake', capability: 'verb.exec.read', pack_id: 'mail' },
        { principal: 'sense-wake', capability: 'verb.exec.write', pack_id: 'mail' },
      ],
      members: { apollo: ['sense-wake'] },
    });
    const server = createRuntimeServer({ runtime, token: 'tok' });
    const url = await server.listen(0);
    closers.push(() => server.close());
    const { execute } = clientOf(url);
    expect(await execute(step, context, 'a:0')).toMatchObject({ outcome: 'done' });
    expect(await execute(step, context, 'a:0')).toMatchObject({ outcome: 'done' });
    expect(runtime.calls().map(({ ran }) => ran)).toEqual([true, false]);
    expect(await execute({ pack: 'issues', verb: 'issues.list', args: {} }, context, 'b:0')).toMatchObject({
      outcome: 'denied',
      code: 'EXEC_REFUSED',
    });
    expect(
      await execute({ pack: 'mail', verb: 'mail.send', args: { to: 'x' } }, context, 'c:0'),
    ).toMatchObject({
      outcome: 'confirm_required',
      preview: { command: 'mail.send' },
    });
    expect(await clientOf(url, { token: 'other' }).execute(step, context, 'd:0')).toMatchObject({
      outcome: 'denied',
      code: 'EXEC_REFUSED',
    });
  });

  it.each([500, 502, 503, 504, 429, 408, 409, 425])('%i may pass: it is transient', async (status) => {
    const url = await serve((_request, response) => response.writeHead(status).end('busy'));
    expect(await clientOf(url).execute(step, context, 'k:0')).toMatchObject({
      outcome: 'failed',
      code: 'EXEC_UNREACHABLE',
      transient: true,
    });
  });

  it.each([400, 401, 403, 404, 413, 422])('%i will not pass: it is denied', async (status) => {
    const url = await serve((_request, response) => response.writeHead(status).end(JSON.stringify(envelope)));
    const outcome = await clientOf(url).execute(step, context, 'k:0');
    expect(outcome).toMatchObject({ outcome: 'denied', code: 'EXEC_REFUSED' });
    expect(outcome.transient).toBeUndefined();
  });

  it('a refusal with 4xx may say why in an envelope', async () => {
    const answer = { ok: false, pack_id: 'mail', verb_key: 'mail.get', error: 'denied: not today' };
    const url = await serve((_request, response) => response.writeHead(403).end(JSON.stringify(answer)));
    expect(await clientOf(url).execute(step, context, 'k:0')).toMatchObject({
      outcome: 'denied',
      message: 'denied: not today',
    });
  });

  it('follows no redirect: the token goes nowhere else', async () => {
    let followed = 0;
    const elsewhere = await serve((_request, response) => {
      followed += 1;
      response.end(JSON.stringify(envelope));
    });
    for (const status of [301, 302, 307, 308]) {
      const url = await serve((_request, response) =>
        response.writeHead(status, { location: elsewhere }).end(),
      );
      const outcome = await clientOf(url).execute(step, context, 'k:0');
      expect(outcome).toMatchObject({ outcome: 'failed', code: 'EXEC_ANSWER_INVALID' });
      expect(outcome.transient).toBeUndefined();
    }
    expect(followed).toBe(0);
  });

  it('nobody there is transient, and says so without the token', async () => {
    const url = await serve(() => undefined);
    await Promise.all(closers.splice(0).map((close) => close()));
    const outcome = await clientOf(url).execute(step, context, 'k:0');
    expect(outcome).toMatchObject({ outcome: 'failed', transient: true, code: 'EXEC_UNREACHABLE' });
    expect(outcome.message).toContain('ECONNREFUSED');
    expect(outcome.message).not.toContain('tok');
  });

  it('the deadline covers the body: an answer that drips is given up', async () => {
    const timers: NodeJS.Timeout[] = [];
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"ok":true,');
      timers.push(setInterval(() => response.write(' '), 20));
    });
    const outcome = await clientOf(url, { timeoutMs: 200 }).execute(step, context, 'k:0');
    for (const timer of timers) clearInterval(timer);
    expect(outcome).toMatchObject({ outcome: 'failed', code: 'EXEC_UNREACHABLE', transient: true });
  });

  it('an answer is bounded, as sent and as unpacked', async () => {
    const large = JSON.stringify({ ...envelope, result: 'x'.repeat(100_000) });
    const plain = await serve((_request, response) => response.end(large));
    const packed = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(large)),
    );
    for (const url of [plain, packed]) {
      expect(await clientOf(url, { maxAnswerBytes: 50_000 }).execute(step, context, 'k:0')).toMatchObject({
        outcome: 'failed',
        code: 'EXEC_ANSWER_INVALID',
      });
      expect(await clientOf(url).execute(step, context, 'k:0')).toMatchObject({ outcome: 'done' });
    }
  });

  it.each(['', 'hello', '[]', '{"ok":true}', 'null'])('%j is no envelope', async (text) => {
    const url = await serve((_request, response) => response.end(text));
    expect(await clientOf(url).execute(step, context, 'k:0')).toMatchObject({
      outcome: 'failed',
      code: 'EXEC_ANSWER_INVALID',
    });
  });

  it('numbers in a result are kept as they were sent', async () => {
    const url = await serve((_request, response) =>
      response.end('{"ok":true,"pack_id":"mail","verb_key":"mail.get","result":{"id":9007199254740993}}'),
    );
    expect((await clientOf(url).execute(step, context, 'k:0')).result).toEqual({ id: '9007199254740993' });
  });

  it.each(['', '  ', 'a b', 'tok\r\nx: y', 'tökén'])('S35: the token %j is refused at the start', (token) => {
    expect(() => createRemoteDriver({ url: 'http://127.0.0.1:1/exec', token })).toThrow(/execute.token/);
  });

  it.each(['ftp://x/', 'http://user:pw@x/', 'nonsense', 'file:///x'])(
    'the address %s is refused at the start',
    (url) => {
      expect(() => createRemoteDriver({ url, token: 'tok' })).toThrow(/execute.url/);
    },
  );

  it('S35: the environment lends no token', async () => {
    const names = ['EXEC_TOKEN', 'HCP_TOKEN', 'GITHUB_TOKEN'];
    const before = names.map((name) => process.env[name]);
    for (const name of names) process.env[name] = 'from-the-environment';
    try {
      expect(() => createRemoteDriver({ url: 'http://127.0.0.1:1/exec', token: '' })).toThrow(
        /execute.token/,
      );
    } finally {
      for (const [index, name] of names.entries()) {
        if (before[index] === undefined) delete process.env[name];
        else process.env[name] = before[index];
      }
    }
  });
});
