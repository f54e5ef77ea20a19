import fc from 'fast-check';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createMemoryRuntime } from '../../examples/runtime/create-memory-runtime.ts';
import { capabilities } from '../../src/domain/directory.ts';
import { CodedError } from '../../src/domain/errors.ts';
import { createExecClient } from '../../src/exec-client/create-exec-client.ts';
import type { ExecDriver, ExecGrant, HcpExecRequest } from '../../src/exec-client/driver.ts';
import { loadedVerbPacks, verbPacks } from './verb-packs.ts';

const log = pino({ level: 'silent' });
const principal = { id: 'sense-wake', kind: 'service' };
const context = { tenantId: 'acme', projectId: null };
const reads: ExecGrant[] = [
  { capability: 'verb.exec.read', pack_id: 'mail' },
  { capability: 'verb.exec.read', pack_id: 'issues' },
];
const everything: ExecGrant[] = capabilities.flatMap((capability) =>
  ['mail', 'issues'].map((pack_id) => ({ capability, pack_id })),
);

/** A driver that says yes to all, and keeps what it was sent. */
const recordingDriver = (answer?: (request: HcpExecRequest) => unknown) => {
  const requests: HcpExecRequest[] = [];
  const driver: ExecDriver = {
    id: 'recording',
    kind: 'test',
    exec(request) {
      requests.push(structuredClone(request));
      const { pack_id, verb_key } = request;
      return answer === undefined ? { ok: true, pack_id, verb_key, result: {} } : answer(request);
    },
  };
  return { driver, requests };
};

const clientOf = (driver: ExecDriver, grants: readonly ExecGrant[] = reads, deadlineMs = 5_000) =>
  createExecClient({ driver, grants, packs: loadedVerbPacks, principal, log, deadlineMs });

describe('createExecClient', () => {
  it('S32: stands on an in-process HcpRuntimeDriver', async () => {
    const runtime = createMemoryRuntime({
      packs: verbPacks,
      grants: [{ principal: 'sense-wake', capability: 'verb.exec.read', pack_id: 'mail' }],
    });
    const outcome = await clientOf(runtime).execute(
      { pack: 'mail', verb: 'mail.get', args: { id: 'm1' } },
      context,
      'k:0',
    );
    expect(outcome).toMatchObject({ outcome: 'done', code: null, result: { id: 'm1', subject: 'Minutes' } });
    expect(runtime.calls()).toMatchObject([
      {
        pack_id: 'mail',
        verb_key: 'mail.get',
        args: { id: 'm1' },
        principal,
        tenant_id: 'acme',
        idempotency_key: 'k:0',
      },
    ]);
  });

  it('S17: sense.enable authorises no command, nor does any capability but the one of the Policy row', async () => {
    for (const capability of capabilities) {
      const { driver, requests } = recordingDriver();
      const client = clientOf(driver, [{ capability, pack_id: 'mail' }]);
      const read = await client.execute({ pack: 'mail', verb: 'mail.get', args: {} }, context, 'k:0');
      const write = await client.execute({ pack: 'mail', verb: 'mail.flag', args: {} }, context, 'k:1');
      expect(read.outcome).toBe(capability === 'verb.exec.read' ? 'done' : 'denied');
      expect(write.outcome).toBe(capability === 'verb.exec.write' ? 'done' : 'denied');
      expect(requests).toHaveLength(capability.startsWith('verb.exec.') ? 1 : 0);
      if (read.outcome === 'denied') expect(read.code).toBe('EXEC_GRANT_MISSING');
    }
  });

  it('S27: grants are per pack or per command', async () => {
    const { driver } = recordingDriver();
    const client = clientOf(driver, [
      { capability: 'verb.exec.read', pack_id: 'mail', verb_keys: ['mail.list'] },
    ]);
    const outcomeOf = async (pack: string, verb: string) =>
      (await client.execute({ pack, verb, args: {} }, { ...context, projectId: 'apollo' }, 'k:0')).outcome;
    expect(await outcomeOf('mail', 'mail.list')).toBe('done');
    expect(await outcomeOf('mail', 'mail.get')).toBe('denied');
    expect(await outcomeOf('issues', 'issues.list')).toBe('denied');
  });

  it('S29: a connect command never leaves, whatever the grants say', async () => {
    const { driver, requests } = recordingDriver();
    const client = clientOf(driver, everything);
    // The declared one, and one that the pack forgot to declare.
    for (const verb of ['mail.relink', 'mail.connect']) {
      const outcome = await client.execute({ pack: 'mail', verb, args: {} }, context, 'k:0');
      expect(outcome).toMatchObject({ outcome: 'denied', code: 'EXEC_CONNECT_REFUSED' });
    }
    expect(requests).toEqual([]);
  });

  it('S30: a brain command without project is denied before it is called', async () => {
    const { driver, requests } = recordingDriver();
    const client = clientOf(driver);
    const step = { pack: 'issues', verb: 'issues.list', args: {} };
    expect(await client.execute(step, context, 'k:0')).toMatchObject({
      outcome: 'denied',
      code: 'EXEC_PROJECT_REQUIRED',
    });
    expect(requests).toEqual([]);
    expect(await client.execute(step, { ...context, projectId: 'apollo' }, 'k:0')).toMatchObject({
      outcome: 'done',
    });
    expect(requests).toMatchObject([{ authz: { project_id: 'apollo', tenant_id: 'acme', principal } }]);
  });

  it.each(['mail.send', 'mail.purge'])(
    'S28: %s asks; preview and hint are kept and nothing ran',
    async (verb) => {
      const runtime = createMemoryRuntime({
        packs: verbPacks,
        grants: [{ principal: 'sense-wake', capability: 'verb.exec.write', pack_id: 'mail' }],
      });
      const args = { to: 'ada@example.com' };
      const outcome = await clientOf(runtime, everything).execute(
        { pack: 'mail', verb, args },
        context,
        'k:0',
      );
      expect(outcome).toMatchObject({
        outcome: 'confirm_required',
        code: 'confirm_required',
        preview: { command: verb, args },
        hint: expect.stringContaining('Nothing ran'),
      });
      expect(runtime.calls()).toMatchObject([{ verb_key: verb, ran: false }]);
    },
  );

  it('S28: the conformance string alone says that a command asks', async () => {
    const { driver } = recordingDriver(({ pack_id, verb_key }) => ({
      ok: false,
      pack_id,
      verb_key,
      error: 'confirm required',
    }));
    const outcome = await clientOf(driver).execute(
      { pack: 'mail', verb: 'mail.get', args: {} },
      context,
      'k:0',
    );
    expect(outcome).toMatchObject({ outcome: 'confirm_required' });
  });

  it.each([
    { confirm: true },
    { apply: true },
    { confirm: false },
    { Confirm: 1 },
    { deep: [{ er: { apply: 'yes' } }] },
    { '--confirm': true },
    { flags: ['--confirm'] },
    { any: '--apply=true' },
    { cli: ['mail', 'send', '--to', 'x', '--confirm'] },
    { cli: 'mail send --to x --apply' },
    { cli: { argv: ["mail send '--confirm'"] } },
  ])('S28: %j never leaves', async (args) => {
    const { driver, requests } = recordingDriver();
    const outcome = await clientOf(driver, everything).execute(
      { pack: 'mail', verb: 'mail.send', args },
      context,
      'k:0',
    );
    expect(outcome).toMatchObject({ outcome: 'denied', code: 'EXEC_CONFIRM_REFUSED' });
    expect(requests).toEqual([]);
  });

  it('text that merely speaks of confirming is no confirmation', async () => {
    const { driver, requests } = recordingDriver();
    const args = { body: 'please confirm, or run it with --confirm', subject: 'apply', confirmed: true };
    await clientOf(driver, everything).execute({ pack: 'mail', verb: 'mail.send', args }, context, 'k:0');
    expect(requests).toHaveLength(1);
  });

  it('S28: whatever the arguments, confirm and apply never leave, at no depth', async () => {
    const key = fc.oneof(fc.constantFrom('confirm', 'apply', 'cli', 'x', '__proto__'), fc.string());
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom(true, null, '--confirm', 'mail send --confirm', 'hello', 7),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.array(fc.tuple(key, tie('tree')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
      ),
    }));
    const args = fc
      .array(fc.tuple(key, tree), { maxLength: 4 })
      .map((entries): Record<string, unknown> => Object.fromEntries(entries));
    await fc.assert(
      fc.asyncProperty(args, async (sent) => {
        const { driver, requests } = recordingDriver();
        const outcome = await clientOf(driver, everything).execute(
          { pack: 'mail', verb: 'mail.send', args: sent },
          context,
          'k',
        );
        const left = JSON.stringify(requests.map((request) => request.args));
        expect(left).not.toMatch(/"(confirm|apply)":|"--confirm"/);
        // And nothing harmless is held back.
        const text = JSON.stringify(sent);
        if (!/confirm|apply/i.test(text)) expect(outcome.outcome).toBe('done');
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ['unknown pack', 'nowhere', 'mail.get'],
    ['unknown command', 'mail', 'mail.nothing'],
    ['inherited name', 'mail', 'toString'],
  ])('S35: %s is denied before it is called', async (_name, pack, verb) => {
    const { driver, requests } = recordingDriver();
    const outcome = await clientOf(driver, everything).execute({ pack, verb, args: {} }, context, 'k:0');
    expect(outcome).toMatchObject({ outcome: 'denied', code: 'EXEC_VERB_UNKNOWN' });
    expect(requests).toEqual([]);
  });

  it('S35: without a grant nothing runs: there is no default grant', async () => {
    const { driver, requests } = recordingDriver();
    const outcome = await clientOf(driver, []).execute(
      { pack: 'mail', verb: 'mail.get', args: {} },
      context,
      'k:0',
    );
    expect(outcome).toMatchObject({ outcome: 'denied', code: 'EXEC_GRANT_MISSING' });
    expect(requests).toEqual([]);
  });

  it('S35: a driver that alters the grants it is shown alters nothing', async () => {
    const { driver, requests } = recordingDriver(({ pack_id, verb_key, authz }) => {
      (authz.grants as ExecGrant[]).push({ capability: 'verb.exec.write', pack_id: 'mail' });
      return { ok: true, pack_id, verb_key };
    });
    const client = clientOf(driver);
    await client.execute({ pack: 'mail', verb: 'mail.get', args: {} }, context, 'k:0');
    const write = await client.execute({ pack: 'mail', verb: 'mail.flag', args: {} }, context, 'k:1');
    expect(write.outcome).toBe('denied');
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['nothing', undefined],
    ['a text', 'ok'],
    ['no ok', { pack_id: 'mail', verb_key: 'mail.get' }],
    ['a truthy ok', { ok: 1, pack_id: 'mail', verb_key: 'mail.get' }],
    ['another command', { ok: true, pack_id: 'mail', verb_key: 'mail.list' }],
    ['another pack', { ok: true, pack_id: 'issues', verb_key: 'mail.get' }],
    ['an error that is no text', { ok: false, pack_id: 'mail', verb_key: 'mail.get', error: {} }],
  ])('S31: %s is no envelope, and not tried again', async (_name, answer) => {
    const { driver } = recordingDriver(() => answer);
    const outcome = await clientOf(driver).execute(
      { pack: 'mail', verb: 'mail.get', args: {} },
      context,
      'k:0',
    );
    expect(outcome).toMatchObject({ outcome: 'failed', code: 'EXEC_ANSWER_INVALID' });
    expect(outcome.transient).toBeUndefined();
  });

  it('S31: what the runtime denies is denied, what it could not do failed; neither is tried again', async () => {
    const answerWith = async (error: string) => {
      const { driver } = recordingDriver(({ pack_id, verb_key }) => ({
        ok: false,
        pack_id,
        verb_key,
        error,
      }));
      return clientOf(driver).execute({ pack: 'mail', verb: 'mail.get', args: {} }, context, 'k:0');
    };
    expect(await answerWith('denied: missing verb.exec.read for mail.mail.get')).toMatchObject({
      outcome: 'denied',
      code: 'EXEC_REFUSED',
    });
    const failed = await answerWith('no such \u0000 message');
    expect(failed).toMatchObject({
      outcome: 'failed',
      code: 'EXEC_FAILED',
      message: 'no such \ufffd message',
    });
    expect(failed.transient).toBeUndefined();
  });

  it('a driver that throws is a failure, and one that never answers a transient one', async () => {
    const step = { pack: 'mail', verb: 'mail.get', args: {} };
    const throwing = recordingDriver(() => {
      throw new TypeError('broken');
    });
    expect(await clientOf(throwing.driver).execute(step, context, 'k:0')).toMatchObject({
      outcome: 'failed',
      code: 'EXEC_FAILED',
    });
    const away = recordingDriver(() => Promise.reject(new CodedError('EXEC_UNREACHABLE')));
    expect(await clientOf(away.driver).execute(step, context, 'k:0')).toMatchObject({ transient: true });
    const silent = recordingDriver(() => new Promise(() => undefined));
    expect(await clientOf(silent.driver, reads, 20).execute(step, context, 'k:0')).toMatchObject({
      outcome: 'failed',
      code: 'EXEC_UNREACHABLE',
      transient: true,
    });
  });

  it('S15: a result is kept small and without secrets', async () => {
    const { driver } = recordingDriver(({ pack_id, verb_key, args }) => ({
      ok: true,
      pack_id,
      verb_key,
      result:
        args?.big === true ? 'é'.repeat(4096) : { access_token: 't0p', nested: [{ Password: 'x', id: 1 }] },
    }));
    const execute = (args: Record<string, unknown>) =>
      clientOf(driver).execute({ pack: 'mail', verb: 'mail.get', args }, context, 'k:0');
    expect((await execute({})).result).toEqual({
      access_token: '[redacted]',
      nested: [{ Password: '[redacted]', id: 1 }],
    });
    expect((await execute({ big: true })).result).toEqual({ omitted: 'larger than 4096 bytes', bytes: 8194 });
  });

  it("S34: the request holds the protocol's members and no other", async () => {
    const { driver, requests } = recordingDriver();
    await clientOf(driver).execute({ pack: 'mail', verb: 'mail.get', args: { id: 'm1' } }, context, 'k:0');
    expect(Object.keys(requests[0] ?? {}).sort()).toEqual(['args', 'authz', 'pack_id', 'verb_key']);
    expect(Object.keys(requests[0]?.authz ?? {}).sort()).toEqual([
      'grants',
      'principal',
      'project_id',
      'tenant_id',
    ]);
  });

  it('arguments and results never reach the log', async () => {
    const lines: string[] = [];
    const { driver } = recordingDriver(({ pack_id, verb_key }) => ({
      ok: true,
      pack_id,
      verb_key,
      result: 'r3sult',
    }));
    const client = createExecClient({
      driver,
      grants: reads,
      packs: loadedVerbPacks,
      principal,
      log: pino({ level: 'trace' }, { write: (line) => lines.push(line) }),
    });
    await client.execute({ pack: 'mail', verb: 'mail.get', args: { id: 'arg-ument' } }, context, 'k:0');
    expect(lines).toHaveLength(1);
    expect(lines.join()).not.toMatch(/arg-ument|r3sult/);
  });
});
