import { describe, expect, test } from 'vitest';
import { createSourceWatch } from '../../src/observe/create-source-watch.ts';

const hour = 3_600_000;
const day = Date.UTC(2025, 5, 15);

/** What is kept outlives a watch, as Postgres outlives a process. */
const store = () => {
  const rows = new Map<string, { since: number; acceptedAt: number | null }>();
  const time = { now: day };
  const start = (silenceMs: number | null) =>
    createSourceWatch({
      sources: [{ id: 'mail-hook', silenceMs }],
      clock: () => time.now,
      exchange: async (latest) => {
        for (const [id, at] of latest) {
          const row = rows.get(id) ?? { since: time.now, acceptedAt: null };
          rows.set(id, { ...row, acceptedAt: Math.max(row.acceptedAt ?? 0, at ?? 0) || null });
        }
        return [...rows].map(([source, row]) => ({ source, ...row }));
      },
    });
  return { time, start };
};
const accepted = { source: 'mail-hook', status: 202, code: null, delivery: 'd1' };

describe('a source that falls silent', () => {
  test('is silent once nothing came for longer than its silence_after, and no more when something comes', async () => {
    const { time, start } = store();
    const watch = start(6 * hour);
    await watch.exchange();
    watch.note(accepted);
    expect(watch.states()).toEqual([
      { source: 'mail-hook', last_accepted_at: '2025-06-15T00:00:00.000Z', silent: false },
    ]);
    time.now += 6 * hour;
    expect(watch.states()[0]?.silent).toBe(false);
    time.now += 1;
    expect(watch.states()[0]?.silent).toBe(true);
    watch.note(accepted);
    expect(watch.states()[0]?.silent).toBe(false);
  });

  test('stays silent over a restart; one that never brought anything counts from when it was first watched', async () => {
    const { time, start } = store();
    await start(hour).exchange();
    time.now += 2 * hour;
    const watch = start(hour);
    expect(watch.states()[0]?.silent).toBe(false);
    await watch.exchange();
    expect(watch.states()[0]).toEqual({ source: 'mail-hook', last_accepted_at: null, silent: true });
  });

  test('hears of what other processes accepted', async () => {
    const { time, start } = store();
    const [one, other] = [start(hour), start(hour)];
    await one.exchange();
    time.now += 2 * hour;
    other.note(accepted);
    await other.exchange();
    await one.exchange();
    expect(one.states()).toEqual(other.states());
    expect(one.states()[0]?.silent).toBe(false);
  });

  test.each([
    ['a refusal', { ...accepted, status: 401, code: 'SIGNATURE_MISMATCH' }],
    ['a handshake', { ...accepted, status: 200, delivery: null }],
    ['a refusal that is answered 2xx', { ...accepted, code: 'SIGNATURE_MISMATCH' }],
    ['a stranger', { ...accepted, source: null }],
  ])('%s is no sign of life', async (_, fact) => {
    const { time, start } = store();
    const watch = start(hour);
    await watch.exchange();
    time.now += 2 * hour;
    watch.note(fact);
    expect(watch.states()[0]).toEqual({ source: 'mail-hook', last_accepted_at: null, silent: true });
  });

  test('a job and a line are; without silence_after nothing is silent', () => {
    const { time, start } = store();
    const watch = start(null);
    watch.note({ source: 'mail-hook', status: 202, code: null });
    time.now += 1_000 * hour;
    expect(watch.states()[0]).toEqual({
      source: 'mail-hook',
      last_accepted_at: '2025-06-15T00:00:00.000Z',
      silent: false,
    });
  });

  test('what could not be kept is kept the next time', async () => {
    const handed: (number | null)[] = [];
    let isAway = true;
    const watch = createSourceWatch({
      sources: [{ id: 'mail-hook', silenceMs: hour }],
      clock: () => day,
      exchange: async (latest) => {
        if (isAway) throw new Error('away');
        handed.push(...latest.values());
        return [];
      },
    });
    watch.note(accepted);
    await expect(watch.exchange()).rejects.toThrow('away');
    isAway = false;
    await watch.exchange();
    expect(handed).toEqual([day]);
  });
});
