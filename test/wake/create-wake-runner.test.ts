import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryRuntime } from '../../examples/runtime/create-memory-runtime.ts';
import { createRuntimeServer } from '../../examples/runtime/create-runtime-server.ts';
import type { WakeRule } from '../../src/domain/execute.ts';
import { createExecClient } from '../../src/exec-client/create-exec-client.ts';
import { createRemoteDriver } from '../../src/exec-client/create-remote-driver.ts';
import { listWakes } from '../../src/store/list-wakes.ts';
import { offerDueWakes } from '../../src/store/offer-due-wakes.ts';
import { loadedVerbPacks, verbPacks } from '../exec-client/verb-packs.ts';
import { hasPostgres } from '../helpers/stores.ts';
import { createWakeBench, fetchMail, log, recordingExecute } from './wake-bench.ts';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(!hasPostgres)('createWakeRunner', () => {
  let bench: Awaited<ReturnType<typeof createWakeBench>>;
  beforeAll(async () => {
    bench = await createWakeBench();
  });
  afterAll(() => bench.close());
  beforeEach(() => bench.reset());

  describe('against the example runtime over HTTP', () => {
    const serveRuntime = async () => {
      const runtime = createMemoryRuntime({
        packs: verbPacks,
        grants: [
          { principal: 'sense-wake', capability: 'verb.exec.read', pack_id: 'mail' },
          { principal: 'sense-wake', capability: 'verb.exec.write', pack_id: 'mail' },
          { principal: 'sense-wake', capability: 'verb.exec.read', pack_id: 'issues' },
          { principal: 'sense-wake', capability: 'pack.connect', pack_id: 'mail' },
        ],
        members: { apollo: ['sense-wake'] },
      });
      const server = createRuntimeServer({ runtime, token: 'tok' });
      const url = await server.listen(0);
      const { execute } = createExecClient({
        driver: createRemoteDriver({ url, token: 'tok' }),
        grants: [
          { capability: 'verb.exec.read', pack_id: 'mail' },
          { capability: 'verb.exec.write', pack_id: 'mail' },
          { capability: 'verb.exec.read', pack_id: 'issues' },
          { capability: 'pack.connect', pack_id: 'mail' },
        ],
        packs: loadedVerbPacks,
        principal: { id: 'sense-wake', kind: 'service' },
        log,
      });
      return { runtime, server, execute };
    };

    it('S16: reads the committed record back, then lists and gets', async () => {
      const { runtime, server, execute } = await serveRuntime();
      const recordId = await bench.addRecord({ data: '{"id":"m2"}' });
      const id = await bench.addWake(recordId);
      await bench.runner(execute).run([id]);
      await server.close();
      expect(
        runtime.calls().map(({ verb_key, args, idempotency_key }) => [verb_key, args, idempotency_key]),
      ).toEqual([
        ['mail.list', {}, `${id}:0`],
        ['mail.get', { id: 'm2' }, `${id}:1`],
      ]);
      const wake = await bench.wake(id);
      expect(wake).toMatchObject({ state: 'done', attempts: 1, claimed_until: null });
      expect(wake.steps).toMatchObject([
        { verb: 'mail.list', outcome: 'done' },
        { verb: 'mail.get', outcome: 'done', result: { id: 'm2', subject: 'Lunch' } },
      ]);
      expect(bench.outcomes).toEqual(['done']);
      expect(await listWakes(bench.pool, { recordId, limit: 10 })).toMatchObject([
        { wake_id: id, state: 'done' },
      ]);
    });

    it('S16: a wake whose record is not there runs nothing', async () => {
      const { runtime, server, execute } = await serveRuntime();
      const id = await bench.addWake('01920000-0000-7000-8000-000000000000');
      await bench.runner(execute).run([id]);
      await server.close();
      expect(runtime.calls()).toEqual([]);
      expect(await bench.wake(id)).toMatchObject({ state: 'failed' });
    });

    it('S28: what asks first stops the wake; preview and hint are kept, the next step does not run', async () => {
      const { runtime, server, execute } = await serveRuntime();
      const rule: WakeRule = {
        ...fetchMail,
        steps: [
          { pack: 'mail', verb: 'mail.send', args: { to: 'ada@example.com', re: '$.data.id' } },
          { pack: 'mail', verb: 'mail.list', args: {} },
        ],
      };
      const id = await bench.addWake(await bench.addRecord());
      const runner = bench.runner(execute, { rules: [rule] });
      await runner.run([id]);
      await runner.run([id]);
      await server.close();
      expect(runtime.calls()).toMatchObject([{ verb_key: 'mail.send', ran: false }]);
      const wake = await bench.wake(id);
      expect(wake.state).toBe('confirm_required');
      expect(wake.steps).toMatchObject([
        {
          outcome: 'confirm_required',
          preview: { command: 'mail.send', args: { re: 'm1' } },
          hint: expect.any(String),
        },
      ]);
      expect(bench.outcomes).toEqual(['confirm_required']);
    });

    it('S29: a connect step is denied and never sent, although both sides granted pack.connect', async () => {
      const { runtime, server, execute } = await serveRuntime();
      const rule: WakeRule = { ...fetchMail, steps: [{ pack: 'mail', verb: 'mail.relink', args: {} }] };
      const id = await bench.addWake(await bench.addRecord());
      await bench.runner(execute, { rules: [rule] }).run([id]);
      await server.close();
      expect(runtime.calls()).toEqual([]);
      expect(await bench.wake(id)).toMatchObject({
        state: 'denied',
        steps: [{ code: 'EXEC_CONNECT_REFUSED' }],
      });
    });

    it('S30: a brain command goes with the project of the record, and without one it does not go', async () => {
      const { runtime, server, execute } = await serveRuntime();
      const rule: WakeRule = { ...fetchMail, steps: [{ pack: 'issues', verb: 'issues.list', args: {} }] };
      const runner = bench.runner(execute, { rules: [rule] });
      const withProject = await bench.addWake(await bench.addRecord({ land: 'brain', project: 'apollo' }));
      const without = await bench.addWake(await bench.addRecord());
      // A project that the Principal is not a member of is no project: the record is personal, the command is not.
      const foreign = await bench.addWake(await bench.addRecord({ principal: 'user_7', project: 'apollo' }), {
        principal: 'user_7',
      });
      await runner.run([withProject, without, foreign]);
      await server.close();
      expect(await bench.wake(withProject)).toMatchObject({ state: 'done' });
      for (const id of [without, foreign]) {
        expect(await bench.wake(id)).toMatchObject({
          state: 'denied',
          steps: [{ code: 'EXEC_PROJECT_REQUIRED' }],
        });
      }
      expect(runtime.calls()).toMatchObject([{ project_id: 'apollo' }]);
    });

    it('a runner killed after a call: its claim runs out, and the same key runs once at the runtime', async () => {
      const { runtime, server, execute } = await serveRuntime();
      const rule: WakeRule = {
        ...fetchMail,
        steps: [{ pack: 'mail', verb: 'mail.flag', args: { id: '$.data.id' } }, ...fetchMail.steps],
      };
      const id = await bench.addWake(await bench.addRecord());
      // Like a kill: the call went out and came back, and nobody was left to write it down.
      const killed = bench.runner(
        async (...call) => {
          await execute(...call);
          return new Promise<never>(() => undefined);
        },
        { rules: [rule], claimMs: 150 },
      );
      void killed.run([id]);
      while (runtime.calls().length === 0) await sleep(10);

      const second = bench.runner(execute, { rules: [rule] });
      await second.run([id]);
      expect(await bench.wake(id)).toMatchObject({ state: 'running', attempts: 1 });
      await sleep(200);
      expect(await offerDueWakes(bench.pool, 10, { quietMs: 0 })).toEqual([id]);
      await second.run([id]);
      await server.close();
      const flags = runtime.calls().filter(({ verb_key }) => verb_key === 'mail.flag');
      expect(flags.map(({ idempotency_key, ran }) => [idempotency_key, ran])).toEqual([
        [`${id}:0`, true],
        [`${id}:0`, false],
      ]);
      expect((await bench.wake(id)).attempts).toBe(2);
    });
  });

  it('a runner that wakes up after another took over writes nothing', async () => {
    const id = await bench.addWake(await bench.addRecord());
    let resume: (() => void) | undefined;
    const stopped = bench.runner(
      async ({ pack, verb }) => {
        await new Promise<void>((resolve) => {
          resume = resolve;
        });
        return { pack, verb, outcome: 'failed', code: 'LATE', message: 'late' };
      },
      { claimMs: 50 },
    );
    const running = stopped.run([id]);
    while (resume === undefined) await sleep(10);
    await sleep(100);
    const { execute } = recordingExecute();
    await bench.runner(execute).run([id]);
    const before = await bench.wake(id);
    expect(before.state).toBe('done');
    resume();
    await running;
    expect(await bench.wake(id)).toEqual(before);
    expect(bench.outcomes).toEqual(['done']);
  });

  it('goes on with the step that follows what an earlier attempt had done', async () => {
    const id = await bench.addWake(await bench.addRecord());
    const first = recordingExecute(({ verb }) =>
      verb === 'mail.get'
        ? { outcome: 'failed', code: 'EXEC_UNREACHABLE', message: 'away', transient: true }
        : {},
    );
    await bench.runner(first.execute).run([id]);
    expect(await bench.wake(id)).toMatchObject({
      state: 'pending',
      claimed_until: null,
      steps: [{ outcome: 'done' }, { outcome: 'failed', transient: true, tries: 1 }],
    });
    expect(bench.offers).toEqual([{ ids: [id], delayMs: 10 }]);
    expect(bench.outcomes).toEqual([]);

    await sleep(30);
    const second = recordingExecute();
    await bench.runner(second.execute).run([id]);
    expect(second.calls).toEqual([{ verb: 'mail.get', args: { id: 'm1' }, project: null, key: `${id}:1` }]);
    expect(await bench.wake(id)).toMatchObject({ state: 'done', attempts: 2 });
  });

  it('a transient failure is tried a bounded number of times, each later, under one key', async () => {
    const id = await bench.addWake(await bench.addRecord());
    const away = recordingExecute(() => ({
      outcome: 'failed',
      code: 'EXEC_UNREACHABLE',
      message: 'away',
      transient: true,
    }));
    const runner = bench.runner(away.execute);
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await runner.run([id]);
      await sleep(40);
    }
    expect(away.calls.map(({ key }) => key)).toEqual([`${id}:0`, `${id}:0`, `${id}:0`]);
    expect(bench.offers.map(({ delayMs }) => delayMs)).toEqual([10, 20]);
    const wake = await bench.wake(id);
    expect(wake).toMatchObject({ state: 'failed', steps: [{ code: 'EXEC_UNREACHABLE', tries: 3 }] });
    expect(wake.steps[0]?.transient).toBeUndefined();
    expect(bench.outcomes).toEqual(['failed']);
  });

  it('a failure that will not pass is final at once, and a thrown fault is not lost', async () => {
    const refused = await bench.addWake(await bench.addRecord());
    const no = recordingExecute(() => ({ outcome: 'failed', code: 'EXEC_FAILED', message: 'no' }));
    await bench.runner(no.execute).run([refused]);
    expect(await bench.wake(refused)).toMatchObject({ state: 'failed' });
    const thrown = await bench.addWake(await bench.addRecord());
    await bench
      .runner(async () => {
        throw new Error('broken');
      })
      .run([thrown]);
    expect(await bench.wake(thrown)).toMatchObject({
      state: 'pending',
      steps: [{ code: 'INTERNAL', tries: 1 }],
    });
  });

  it('an argument that the record does not have is denied, and nothing is called', async () => {
    const rule: WakeRule = {
      ...fetchMail,
      steps: [{ pack: 'mail', verb: 'mail.get', args: { id: '$.data.message.id' } }],
    };
    const id = await bench.addWake(await bench.addRecord());
    const { execute, calls } = recordingExecute();
    await bench.runner(execute, { rules: [rule] }).run([id]);
    expect(calls).toEqual([]);
    expect(await bench.wake(id)).toMatchObject({
      state: 'denied',
      steps: [{ code: 'EXEC_ARGUMENT_MISSING' }],
    });
  });

  it('a selector that is no path is refused at the start', () => {
    const rule: WakeRule = {
      ...fetchMail,
      steps: [{ pack: 'mail', verb: 'mail.get', args: { id: ['$.data[*]'] } }],
    };
    expect(() => bench.runner(recordingExecute().execute, { rules: [rule] })).toThrow(/\$\.data\[\*\]/);
  });

  it('the same ids many times, at the same time, from several runners: each wake runs once', async () => {
    const ids = await Promise.all(
      Array.from({ length: 12 }, async () => bench.addWake(await bench.addRecord())),
    );
    const { execute, calls } = recordingExecute();
    const runners = [bench.runner(execute), bench.runner(execute), bench.runner(execute)];
    await Promise.all(runners.flatMap((runner) => [runner.run(ids), runner.run([...ids].reverse())]));
    expect(calls).toHaveLength(24);
    expect(new Set(calls.map(({ key }) => key)).size).toBe(24);
    expect(bench.outcomes).toEqual(Array(12).fill('done'));
  });

  it('a wake that is not due is offered again for when it is', async () => {
    const id = await bench.addWake(await bench.addRecord(), { dueInMs: 60_000 });
    const { execute, calls } = recordingExecute();
    await bench.runner(execute).run([id]);
    expect(calls).toEqual([]);
    expect(bench.offers).toHaveLength(1);
    expect(bench.offers[0]?.delayMs).toBeGreaterThan(50_000);
    expect(await bench.wake(id)).toMatchObject({ state: 'pending', attempts: 0 });
  });

  describe('coalescing', () => {
    const rule: WakeRule = {
      ...fetchMail,
      coalesceMs: 5_000,
      steps: [{ pack: 'mail', verb: 'mail.get', args: { id: '$.data.id' } }],
    };

    it('one run for all that wait of a rule and Principal, led by the oldest', async () => {
      const oldest = await bench.addWake(await bench.addRecord({ data: '{"id":"first"}' }));
      const others = [
        await bench.addWake(await bench.addRecord({ data: '{"id":"second"}' })),
        await bench.addWake(await bench.addRecord({ data: '{"id":"third"}' }), { dueInMs: 60_000 }),
      ];
      const elsewhere = await bench.addWake(await bench.addRecord({ principal: 'user_7' }), {
        principal: 'user_7',
      });
      const { execute, calls } = recordingExecute();
      const runner = bench.runner(execute, { rules: [rule] });
      await runner.run([others[0] ?? '', oldest]);
      expect(calls.map(({ args }) => args)).toEqual([{ id: 'first' }]);
      expect(await bench.wake(oldest)).toMatchObject({ state: 'done', lead_wake_id: null });
      for (const id of others) {
        expect(await bench.wake(id)).toMatchObject({ state: 'coalesced', lead_wake_id: oldest, attempts: 0 });
      }
      expect(await bench.wake(elsewhere)).toMatchObject({ state: 'pending' });
      expect([...bench.outcomes].sort()).toEqual(['coalesced', 'coalesced', 'done']);
      await runner.run([...others, oldest]);
      expect(calls).toHaveLength(1);
    });

    it('a wake that waits for another try is not taken along, nor does it run early', async () => {
      const first = await bench.addWake(await bench.addRecord({ data: '{"id":"first"}' }));
      const away = recordingExecute(() => ({
        outcome: 'failed',
        code: 'X',
        message: 'away',
        transient: true,
      }));
      const retry = { maxTries: 3, baseMs: 60_000, capMs: 60_000 };
      await bench.runner(away.execute, { rules: [rule], retry }).run([first]);
      const next = await bench.addWake(await bench.addRecord({ data: '{"id":"next"}' }));
      const { execute, calls } = recordingExecute();
      await bench.runner(execute, { rules: [rule] }).run([next]);
      expect(calls.map(({ args }) => args)).toEqual([{ id: 'next' }]);
      expect(await bench.wake(first)).toMatchObject({ state: 'pending', attempts: 1 });
    });

    it('runners that race for the same group run it once', async () => {
      const ids = await Promise.all(
        Array.from({ length: 10 }, async () => bench.addWake(await bench.addRecord())),
      );
      const { execute, calls } = recordingExecute();
      const runners = Array.from({ length: 4 }, () => bench.runner(execute, { rules: [rule] }));
      await Promise.all(ids.map((id, index) => runners[index % 4]?.run([id])));
      expect(calls).toHaveLength(1);
      expect([...bench.outcomes].sort()).toEqual([...Array(9).fill('coalesced'), 'done']);
    });
  });

  describe('budget', () => {
    const rule: WakeRule = {
      ...fetchMail,
      perPrincipalPerHour: 3,
      steps: [{ pack: 'mail', verb: 'mail.list', args: {} }],
    };

    it('is never overspent, however many runners race, and what is over it is suppressed', async () => {
      const ids = await Promise.all(
        Array.from({ length: 10 }, async () => bench.addWake(await bench.addRecord())),
      );
      const { execute, calls } = recordingExecute();
      const runners = Array.from({ length: 4 }, () => bench.runner(execute, { rules: [rule] }));
      await Promise.all(ids.map((id, index) => runners[index % 4]?.run([id])));
      expect(calls).toHaveLength(3);
      expect([...bench.outcomes].sort()).toEqual([...Array(3).fill('done'), ...Array(7).fill('suppressed')]);
    });

    it('is of one Principal and one hour', async () => {
      const { execute, calls } = recordingExecute();
      const runner = bench.runner(execute, { rules: [rule] });
      const add = async (principal: string) =>
        bench.addWake(await bench.addRecord({ principal }), { principal });
      for (let run = 0; run < 4; run += 1) await runner.run([await add('user_42')]);
      await runner.run([await add('user_7')]);
      expect(calls).toHaveLength(4);
      await bench.pool.query(`update sense.wakes set started_at = started_at - interval '61 minutes'`);
      await runner.run([await add('user_42')]);
      expect(calls).toHaveLength(5);
    });

    it('another try of a wake that has begun spends nothing and is not suppressed', async () => {
      const one = { ...rule, perPrincipalPerHour: 1 };
      const id = await bench.addWake(await bench.addRecord());
      const flaky = recordingExecute((_call, nth) =>
        nth === 1 ? { outcome: 'failed', code: 'X', message: 'away', transient: true } : {},
      );
      const runner = bench.runner(flaky.execute, { rules: [one] });
      await runner.run([id]);
      await sleep(30);
      await runner.run([id]);
      expect(await bench.wake(id)).toMatchObject({ state: 'done' });
    });
  });

  it('S18: a withheld brain record wakes nobody until its Principal is a member of the project', async () => {
    const record = await bench.addRecord({ principal: 'user_7', land: 'brain', project: 'apollo' });
    const id = await bench.addWake(record, { principal: 'user_7' });
    const { execute, calls } = recordingExecute();
    const runner = bench.runner(execute);
    await runner.run([id]);
    expect(await offerDueWakes(bench.pool, 10, { quietMs: 0 })).toEqual([]);
    expect(await bench.wake(id)).toMatchObject({ state: 'pending', attempts: 0 });
    expect(calls).toEqual([]);

    await bench.pool.query(`update sense.principals set projects = '{apollo}' where principal_id = 'user_7'`);
    expect(await offerDueWakes(bench.pool, 10, { quietMs: 0 })).toEqual([id]);
    await runner.run([id]);
    expect(await bench.wake(id)).toMatchObject({ state: 'done' });
    expect(calls.map(({ project }) => project)).toEqual(['apollo', 'apollo']);
  });

  it('a wake of a rule that this process does not know waits for one that does', async () => {
    const id = await bench.addWake(await bench.addRecord(), { rule: 'newer' });
    const { execute, calls } = recordingExecute();
    await bench.runner(execute).run([id]);
    expect(await bench.wake(id)).toMatchObject({ state: 'pending', steps: [{ code: 'WAKE_RULE_UNKNOWN' }] });
    await sleep(30);
    await bench.runner(execute, { rules: [{ ...fetchMail, id: 'newer' }] }).run([id]);
    expect(await bench.wake(id)).toMatchObject({ state: 'done' });
    expect(calls).toHaveLength(2);
  });

  it('a wake that is begun again and again ends visible', async () => {
    const id = await bench.addWake(await bench.addRecord());
    await bench.pool.query('update sense.wakes set attempts = 25, started_at = now()');
    const { execute, calls } = recordingExecute();
    await bench.runner(execute).run([id]);
    expect(calls).toEqual([]);
    expect(await bench.wake(id)).toMatchObject({ state: 'failed', steps: [{ code: 'WAKE_ABANDONED' }] });
  });

  it('payloads that Postgres text can not hold pass through arguments and outcomes', async () => {
    const rule: WakeRule = {
      ...fetchMail,
      steps: [{ pack: 'mail', verb: 'mail.get', args: { id: '$.data.id' } }],
    };
    const id = await bench.addWake(await bench.addRecord({ data: String.raw`{"id":"a\u0000b\ud800"}` }));
    const echo = recordingExecute(({ args }) => ({ result: args }));
    await bench.runner(echo.execute, { rules: [rule] }).run([id]);
    expect(echo.calls[0]?.args).toEqual({ id: 'a\u0000b\ud800' });
    const [listed] = await listWakes(bench.pool, { limit: 1 });
    expect(listed?.steps[0]?.result).toEqual({ id: 'a\u0000b\ud800' });
  });

  it('one wake that faults does not hold up the others, and the fault is thrown', async () => {
    const ids = [await bench.addWake(await bench.addRecord()), await bench.addWake(await bench.addRecord())];
    const transient = recordingExecute(() => ({
      outcome: 'failed',
      code: 'X',
      message: 'away',
      transient: true,
    }));
    const runner = bench.runner(transient.execute, {
      offer: async () => {
        throw new Error('the queue is away');
      },
    });
    await expect(runner.run(ids)).rejects.toThrow('the queue is away');
    // Nothing is lost: both are pending, and the sweeper finds them.
    await sleep(30);
    expect((await offerDueWakes(bench.pool, 10, { quietMs: 0 })).sort()).toEqual([...ids].sort());
  });
});
