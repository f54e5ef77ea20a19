import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sampleAnnouncement } from '../helpers/samples.ts';
import { hasPostgres } from '../helpers/stores.ts';
import { startApi, type TestApi } from './start-api.ts';

const announcements = (count: number) => Array.from({ length: count }, () => sampleAnnouncement());
const idsOf = (answer: { json: () => { records: { record_id: string }[] } }): string[] =>
  answer.json().records.map((record) => record.record_id);

describe.skipIf(!hasPostgres)('the inbox over HTTP', () => {
  let api: TestApi;
  beforeEach(async () => {
    api = await startApi();
  });
  afterEach(() => api.stop());

  const expire = () => api.pool.query("update sense.records set leased_until = now() - interval '1 second'");

  test('S14: a leased record says whose it is, in the shape of the contract', async () => {
    const announcement = sampleAnnouncement({ occurredAt: '2026-01-02T03:04:05.000Z' });
    await api.record(announcement);
    const answer = await api.lease();
    expect(answer.status).toBe(200);
    const { lease_id, records } = answer.json();
    expect(lease_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(records).toEqual([
      {
        record_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
        tenant_id: 'acme',
        principal: { id: 'user_42', kind: 'human' },
        binding_id: 'bnd_mail',
        land: 'personal',
        project_id: null,
        pack_id: 'mail',
        ref: 'new_item',
        route: 'inbox',
        source_id: 'mail-hook',
        event_id: announcement.event,
        delivery_id: announcement.delivery,
        occurred_at: '2026-01-02T03:04:05.000Z',
        received_at: announcement.receivedAt,
        recorded_at: expect.stringMatching(/Z$/),
        state: null,
        trust: 'external',
        data: { id: 'm_1' },
      },
    ]);
  });

  test('oldest first, and no record goes to two leasers at once', async () => {
    await api.record(...announcements(60));
    const leases = await Promise.all(Array.from({ length: 8 }, () => api.lease({ max: 7 })));
    const leased = leases.flatMap(idsOf);
    expect(leased.length).toBeGreaterThan(40);
    expect(new Set(leased).size).toBe(leased.length);
    for (const lease of leases) expect(idsOf(lease)).toEqual([...idsOf(lease)].sort());
    // What was skipped while it was locked is still there.
    const rest = idsOf(await api.lease({ max: 100 }));
    expect(new Set([...leased, ...rest]).size).toBe(60);
    expect(leased.length + rest.length).toBe(60);
  });

  test('an expired lease is offered again, and its old holder learns that it lost it', async () => {
    await api.record(...announcements(2));
    const first = (await api.lease()).json();
    expect(idsOf(await api.lease())).toEqual([]);
    await expire();
    const second = await api.lease();
    expect(idsOf(second)).toHaveLength(2);

    const late = await api.call('POST', '/v1/inbox/ack', { body: { lease_id: first.lease_id } });
    expect(late.status).toBe(409);
    expect(late.json().error.code).toBe('LEASE_UNKNOWN');
    const ack = await api.call('POST', '/v1/inbox/ack', { body: { lease_id: second.json().lease_id } });
    expect(ack.json().acked).toEqual(idsOf(second));
  });

  test('a lease that ran out still acknowledges and extends what nobody took since', async () => {
    await api.record(...announcements(2));
    const { lease_id } = (await api.lease()).json();
    await expire();
    const extended = await api.call('POST', '/v1/inbox/extend', { body: { lease_id, lease_seconds: 60 } });
    expect(extended.json().extended).toHaveLength(2);
    expect(idsOf(await api.lease())).toEqual([]);
    await expire();
    expect((await api.call('POST', '/v1/inbox/ack', { body: { lease_id } })).json().acked).toHaveLength(2);
    expect(idsOf(await api.lease())).toEqual([]);
  });

  test('acknowledging twice is the same as once', async () => {
    await api.record(...announcements(2));
    const answer = (await api.lease()).json();
    const once = await api.call('POST', '/v1/inbox/ack', { body: { lease_id: answer.lease_id } });
    const twice = await api.call('POST', '/v1/inbox/ack', { body: { lease_id: answer.lease_id } });
    expect(twice.status).toBe(200);
    expect(twice.json()).toEqual(once.json());
  });

  test('part of a lease is acknowledged, the rest released and leased again at once', async () => {
    await api.record(...announcements(3));
    const lease = await api.lease();
    const { lease_id } = lease.json();
    const [one, two, three] = idsOf(lease);
    const stranger = '01890000-0000-7000-8000-000000000000';
    const ack = await api.call('POST', '/v1/inbox/ack', {
      body: { lease_id, record_ids: [one, stranger] },
    });
    expect(ack.json()).toEqual({ acked: [one], not_held: [stranger] });
    const released = await api.call('POST', '/v1/inbox/release', { body: { lease_id } });
    expect(released.json().released).toEqual([two, three]);
    expect(idsOf(await api.lease())).toEqual([two, three]);
    const again = await api.call('POST', '/v1/inbox/release', { body: { lease_id, record_ids: [two] } });
    expect(again.json().error.code).toBe('LEASE_UNKNOWN');
  });

  test('a long poll is answered when a record is committed, and not before', async () => {
    const waiting = api.lease({ wait_seconds: 30 });
    await expect.poll(async () => listeners(api)).toBe(1);
    const started = performance.now();
    await api.record(sampleAnnouncement());
    expect(idsOf(await waiting)).toHaveLength(1);
    // The slow look comes every two seconds; a notice is far quicker. Wide enough for a busy machine.
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  test('a long poll hears again after its listening connection was lost', async () => {
    await expect.poll(async () => listeners(api)).toBe(1);
    await api.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query = 'listen sense_inbox' and datname = current_database()",
    );
    const waiting = api.lease({ wait_seconds: 30 });
    await api.record(sampleAnnouncement());
    expect(idsOf(await waiting)).toHaveLength(1);
    await expect.poll(async () => listeners(api), { timeout: 10_000 }).toBe(1);
  });

  test('a long poll whose client went away leases nothing', async () => {
    const gone = new AbortController();
    const waiting = api.lease({ wait_seconds: 30 });
    const aborted = api.call('POST', '/v1/inbox/lease', {
      body: { wait_seconds: 30, max: 1 },
      signal: gone.signal,
    });
    await expect.poll(async () => listeners(api)).toBe(1);
    gone.abort();
    await expect(aborted).rejects.toThrow();
    const recorded = await api.record(sampleAnnouncement());
    expect(idsOf(await waiting)).toEqual(recorded.records.map((record) => record.id));
  });

  test('closing the server answers long polls and ends streams', async () => {
    const waiting = api.lease({ wait_seconds: 60 });
    const stream = await fetch(`${api.url}/v1/inbox/stream`, {
      headers: { authorization: 'Bearer agent-secret' },
    });
    const read = stream.text();
    await expect.poll(async () => listeners(api)).toBe(1);
    await api.server.close();
    expect((await waiting).json()).toEqual({ records: [], lease_id: null, leased_until: null });
    expect(await read).toContain(': watching');
  });

  test('silent records are kept out of the inbox', async () => {
    await api.record(sampleAnnouncement({ ref: 'run.completed' }));
    expect(idsOf(await api.lease())).toEqual([]);
    const page = await api.call('GET', '/v1/records?route=silent');
    expect(page.json().records).toHaveLength(1);
  });

  test('a lease takes only what it asked for', async () => {
    await api.record(sampleAnnouncement(), sampleAnnouncement({ ref: 'item.updated' }));
    const answer = await api.lease({ ref: 'item.updated', pack: 'mail', principal: 'user_42' });
    expect(answer.json().records.map((record: { ref: string }) => record.ref)).toEqual(['item.updated']);
    expect(idsOf(await api.lease({ pack: 'issues' }))).toEqual([]);
  });

  test('a lease of large payloads ends early and leaves the rest for the next one', async () => {
    const large = JSON.stringify('x'.repeat(3 * 1024 * 1024));
    await api.record(...announcements(4).map((each) => ({ ...each, data: large })));
    expect(idsOf(await api.lease({ max: 10 }))).toHaveLength(3);
    expect(idsOf(await api.lease({ max: 10 }))).toHaveLength(1);
  });

  test('S22: badges count what is in the inbox and not acknowledged, and nothing else', async () => {
    await api.record(...announcements(3), sampleAnnouncement({ ref: 'run.completed' }));
    const lease = await api.lease({ max: 2 });
    const unread = async () => (await api.call('GET', '/v1/badges?principal=user_42')).json();
    expect(await unread()).toEqual({
      unread: 3,
      badges: [{ principal: 'user_42', unread: 3, packs: { mail: 3 } }],
    });
    const { lease_id } = lease.json();
    await api.call('POST', '/v1/inbox/ack', { body: { lease_id } });
    await api.call('POST', '/v1/inbox/ack', { body: { lease_id } });
    expect((await unread()).unread).toBe(1);
    expect((await api.call('GET', '/v1/badges?principal=nobody')).json()).toEqual({ unread: 0, badges: [] });
  });

  test('the stream names records as they are committed, each once, and nothing older', async () => {
    await api.record(sampleAnnouncement());
    const gone = new AbortController();
    const response = await fetch(`${api.url}/v1/inbox/stream?pack=mail`, {
      headers: { authorization: 'Bearer agent-secret' },
      signal: gone.signal,
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
    let text = '';
    const readUntil = async (count: number) => {
      while ((text.match(/^event: record$/gm) ?? []).length < count) {
        const { value, done } = await reader.read();
        if (done) throw new Error(`the stream ended: ${text}`);
        text += Buffer.from(value).toString();
      }
    };
    while (!text.includes(': watching')) text += Buffer.from((await reader.read()).value ?? []).toString();

    const first = await api.record(sampleAnnouncement(), sampleAnnouncement({ ref: 'run.completed' }));
    await readUntil(1);
    const second = await api.record(sampleAnnouncement());
    await readUntil(2);
    gone.abort();
    const named = [...text.matchAll(/^id: (.+)$/gm)].map((match) => match[1]);
    expect(named).toEqual([first.records[0]?.id, second.records[0]?.id]);
  });
});

/** Connections that listen for notices: one per process, however many wait. */
const listeners = async (api: TestApi): Promise<number> => {
  const { rows } = await api.pool.query(
    "select count(*)::int as count from pg_stat_activity where query = 'listen sense_inbox' and datname = current_database()",
  );
  return rows[0].count;
};
