import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryRuntime, type RuntimeGrant } from '../../examples/runtime/create-memory-runtime.ts';
import { createRuntimeServer } from '../../examples/runtime/create-runtime-server.ts';
import { loadExamplePacks } from '../../examples/runtime/load-example-packs.ts';
import { capabilities } from '../../src/domain/directory.ts';
import type { Pack } from '../../src/domain/pack.ts';

const principal = { id: 'sense-wake', kind: 'service' };
const grant = (capability: string, pack_id: string, verb_keys?: string[]): RuntimeGrant => ({
  principal: 'sense-wake',
  capability,
  pack_id,
  ...(verb_keys === undefined ? {} : { verb_keys }),
});
const authz = (project_id: string | null = null) => ({
  principal,
  tenant_id: 'acme',
  project_id,
  grants: [],
});

let packs: readonly Pack[];
beforeAll(async () => {
  packs = await loadExamplePacks();
});

describe('createMemoryRuntime', () => {
  const runtime = (grants: RuntimeGrant[], members: Record<string, string[]> = {}) =>
    createMemoryRuntime({ packs, grants, members });

  it('S32: lists and describes the packs with the Policy that their authors wrote', async () => {
    const made = runtime([]);
    const listed = await made.listPacks();
    expect(listed.map(({ pack_id }) => pack_id)).toEqual(['mail', 'issues', 'watcher']);
    const mail = await made.getPack('mail');
    expect(mail?.policy.verbs['mail.send']).toEqual({
      operation: 'write',
      privacy: { land: 'personal' },
      confirm: true,
    });
    expect(await made.getPack('nothing')).toBeUndefined();
  });

  it('S33: what a runtime and a wake go by is the pack as it stands in its file', async () => {
    for (const pack of await runtime([]).listPacks()) {
      const policy = JSON.parse(await readFile(`examples/packs/${pack.pack_id}/policy.json`, 'utf8'));
      expect(pack.policy.verbs).toEqual(policy.verbs);
    }
  });

  it("S31: answers unknown packs and commands in the protocol's words", async () => {
    const made = runtime([grant('verb.exec.read', 'mail')]);
    expect(await made.exec({ pack_id: 'x', verb_key: 'y', authz: authz() })).toEqual({
      ok: false,
      pack_id: 'x',
      verb_key: 'y',
      error: 'unknown pack x',
    });
    expect(await made.exec({ pack_id: 'mail', verb_key: 'y', authz: authz() })).toMatchObject({
      error: 'no policy for y',
    });
  });

  it('S27: each command needs the capability of its own row, connect included', async () => {
    const needs = {
      'mail.list': 'verb.exec.read',
      'mail.send': 'verb.exec.write',
      'mail.connect': 'pack.connect',
    };
    for (const capability of capabilities) {
      const made = runtime([grant(capability, 'mail')]);
      for (const [verb_key, needed] of Object.entries(needs)) {
        const args = { to: 'ada@example.com', confirm: true };
        const answer = await made.exec({ pack_id: 'mail', verb_key, args, authz: authz() });
        expect(answer.ok).toBe(capability === needed);
        if (!answer.ok) expect(answer.error).toBe(`denied: missing ${needed} for mail.${verb_key}`);
      }
    }
    const perVerb = runtime([grant('verb.exec.read', 'mail', ['mail.list'])]);
    expect((await perVerb.exec({ pack_id: 'mail', verb_key: 'mail.list', authz: authz() })).ok).toBe(true);
    expect((await perVerb.exec({ pack_id: 'mail', verb_key: 'mail.get', authz: authz() })).ok).toBe(false);
  });

  it('S30: brain needs a project and membership in it', async () => {
    const made = runtime([grant('verb.exec.read', 'issues')], { apollo: ['sense-wake'] });
    const list = (project: string | null) =>
      made.exec({ pack_id: 'issues', verb_key: 'issues.list', authz: authz(project) });
    expect(await list(null)).toMatchObject({
      ok: false,
      error: 'denied: privacy.land brain requires project_id',
    });
    expect(await list('gemini')).toMatchObject({ ok: false, error: expect.stringContaining('not a member') });
    expect(await list('apollo')).toMatchObject({ ok: true });
  });

  it('S28: the gate asks with preview and hint, runs nothing, and lets a confirmed call pass', async () => {
    const made = runtime([grant('verb.exec.write', 'mail'), grant('verb.exec.read', 'mail')]);
    const args = { to: 'ada@example.com', subject: 'Hello' };
    const list = async () => {
      const answer = await made.exec({ pack_id: 'mail', verb_key: 'mail.list', authz: authz() });
      return answer.ok ? (answer.result as { messages: unknown[] }).messages.length : -1;
    };
    const asked = await made.exec({ pack_id: 'mail', verb_key: 'mail.send', args, authz: authz() });
    expect(asked).toEqual({
      ok: false,
      pack_id: 'mail',
      verb_key: 'mail.send',
      code: 'confirm_required',
      error: 'confirm required',
      preview: {
        command: 'mail.send',
        args,
        cli: 'mail send --to "ada@example.com" --subject "Hello" --confirm',
      },
      hint: expect.stringMatching(/^Nothing ran\. Re-run with confirm=true only if the user has approved/),
    });
    expect(await list()).toBe(3);
    const sent = await made.exec({
      pack_id: 'mail',
      verb_key: 'mail.send',
      args: { ...args, confirm: true },
      authz: authz(),
    });
    expect(sent.ok).toBe(true);
    expect(await list()).toBe(4);
  });

  it('S20: arguments do not choose the tenant', async () => {
    const made = runtime([grant('verb.exec.write', 'mail'), grant('verb.exec.read', 'mail')]);
    const args = { to: 'x', tenant_id: 'other', confirm: true };
    await made.exec({ pack_id: 'mail', verb_key: 'mail.send', args, authz: authz() });
    const other = await made.exec({
      pack_id: 'mail',
      verb_key: 'mail.list',
      authz: { ...authz(), tenant_id: 'other' },
    });
    expect(other).toMatchObject({ ok: true, result: { messages: { length: 3 } } });
  });

  it('one effect per key: the same answer again, and another command under it is refused', async () => {
    const made = runtime([grant('verb.exec.write', 'mail')]);
    const send = (to: string) =>
      made.exec(
        { pack_id: 'mail', verb_key: 'mail.send', args: { to, confirm: true }, authz: authz() },
        { idempotencyKey: 'w:0' },
      );
    const first = await send('ada@example.com');
    expect(first).toMatchObject({ ok: true, result: { id: 'm4' } });
    expect(await send('ada@example.com')).toEqual(first);
    expect(await send('eve@example.com')).toMatchObject({ ok: false, code: 'idempotency_key_reused' });
    expect(made.calls().map(({ ran }) => ran)).toEqual([true, false, false]);
  });
});

describe('createRuntimeServer', () => {
  const closers: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    await Promise.all(closers.splice(0).map((close) => close()));
  });

  const serve = async () => {
    const runtime = createMemoryRuntime({ packs, grants: [grant('verb.exec.read', 'mail')] });
    const server = createRuntimeServer({ runtime, token: 'tok' });
    const url = await server.listen(0);
    closers.push(() => server.close());
    const post = (body: string, headers: Record<string, string> = {}) =>
      fetch(url, { method: 'POST', body, headers: { authorization: 'Bearer tok', ...headers } });
    return { runtime, url, post };
  };
  const request = {
    pack_id: 'mail',
    verb_key: 'mail.get',
    args: { id: 'm1' },
    principal,
    tenant_id: 'acme',
    project_id: null,
  };

  it.each([
    { authorization: '' },
    { authorization: 'Bearer ' },
    { authorization: 'Bearer tokk' },
    { authorization: 'tok' },
  ])('S35: %j gets nothing', async (headers) => {
    const { post, runtime } = await serve();
    expect((await post(JSON.stringify(request), headers)).status).toBe(401);
    expect(runtime.calls()).toEqual([]);
  });

  it('S31: takes the envelope and no other body', async () => {
    const { post, runtime } = await serve();
    const answer = await post(JSON.stringify(request));
    expect(await answer.json()).toMatchObject({
      ok: true,
      pack_id: 'mail',
      verb_key: 'mail.get',
      result: { id: 'm1' },
    });
    for (const body of [
      '',
      '{',
      '[]',
      '{"pack_id":"mail"}',
      JSON.stringify({ ...request, grants: ['all'] }),
    ]) {
      expect((await post(body)).status).toBe(400);
    }
    expect((await post('x'.repeat(1024 * 1024 + 1))).status).toBe(413);
    expect(runtime.calls()).toHaveLength(1);
  });

  it('honours Idempotency-Key and says what came in', async () => {
    const { post, url } = await serve();
    const key = { 'idempotency-key': 'w:0' };
    await post(JSON.stringify(request), key);
    await post(JSON.stringify(request), key);
    expect((await post(JSON.stringify({ ...request, args: { id: 'm2' } }), key)).status).toBe(422);
    const calls = await fetch(url.replace('/exec', '/calls'), { headers: { authorization: 'Bearer tok' } });
    const body = (await calls.json()) as { calls: { ran: boolean }[] };
    expect(body.calls.map(({ ran }) => ran)).toEqual([true, false, false]);
  });
});

describe('the example runtime as a process', () => {
  const children: ChildProcess[] = [];
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  const start = (env: Record<string, string>) => {
    const child = spawn(process.execPath, ['dist/examples/runtime/main.js'], {
      env: { PATH: process.env.PATH ?? '', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.push(child);
    return child;
  };

  it('S35: without EXEC_TOKEN it does not start', async () => {
    const child = start({ PORT: '0' });
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(2);
  });

  it('starts, answers, and ends at once on SIGTERM', async () => {
    const child = start({ PORT: '0', EXEC_TOKEN: 'tok' });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const url = line.toString().match(/http:\S+/)?.[0] ?? '';
    expect((await fetch(url.replace('/exec', '/healthz'))).status).toBe(200);
    const answer = await fetch(url, {
      method: 'POST',
      headers: { authorization: 'Bearer tok' },
      body: JSON.stringify({ pack_id: 'mail', verb_key: 'mail.list', principal, tenant_id: 'acme' }),
    });
    expect(await answer.json()).toMatchObject({ ok: true });
    child.kill('SIGTERM');
    const [code] = (await once(child, 'exit')) as [number];
    expect(code).toBe(0);
  });
});
