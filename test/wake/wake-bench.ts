import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import type { StepOutcome, WakeRule, WakeState } from '../../src/domain/execute.ts';
import type { ExecClient } from '../../src/exec-client/create-exec-client.ts';
import { createPool } from '../../src/store/create-pool.ts';
import { createWakeRunner } from '../../src/wake/create-wake-runner.ts';
import { freshDatabase } from '../helpers/stores.ts';

export const log = pino({ level: 'silent' });

export const fetchMail: WakeRule = {
  id: 'fetch-mail',
  on: { pack: 'mail', ref: 'new_item' },
  steps: [
    { pack: 'mail', verb: 'mail.list', args: {} },
    { pack: 'mail', verb: 'mail.get', args: { id: '$.data.id' } },
  ],
  coalesceMs: 0,
  perPrincipalPerHour: null,
};

type Execute = ExecClient['execute'];
export type Call = { verb: string; args: unknown; project: string | null; key: string };

/** An execute that does what it is told and keeps what it was asked. */
export const recordingExecute = (answer: (call: Call, nth: number) => Partial<StepOutcome> = () => ({})) => {
  const calls: Call[] = [];
  const execute: Execute = async ({ pack, verb, args }, { projectId }, key) => {
    const call = { verb, args, project: projectId, key };
    calls.push(call);
    return { pack, verb, outcome: 'done', code: null, message: null, ...answer(call, calls.length) };
  };
  return { execute, calls };
};

type RunnerParts = Parameters<typeof createWakeRunner>[0];

/** A database of its own with wakes in it, and runners over it. */
export const createWakeBench = async () => {
  const database = await freshDatabase();
  const pool: Pool = createPool(database.url, { log });
  const offers: { ids: readonly string[]; delayMs: number | undefined }[] = [];
  const outcomes: WakeState[] = [];
  return {
    pool,
    offers,
    outcomes,
    async reset() {
      offers.length = 0;
      outcomes.length = 0;
      await pool.query('truncate sense.principals, sense.records, sense.wakes, sense.surfacings cascade');
      await pool.query(`insert into sense.principals (principal_id, tenant_id, kind, projects)
        values ('user_42', 'acme', 'human', '{apollo}'), ('user_7', 'acme', 'human', '{}')`);
    },
    async addRecord(
      over: { principal?: string; land?: string; project?: string | null; data?: string; pack?: string } = {},
    ) {
      const id = uuidv7();
      const {
        principal = 'user_42',
        land = 'personal',
        project = null,
        data = '{"id":"m1"}',
        pack = 'mail',
      } = over;
      await pool.query(
        `insert into sense.records (record_id, tenant_id, principal_id, principal_kind, binding_id, land, project_id,
           pack_id, ref, route, source_id, event_id, event_hash, delivery_id, received_at, data)
         values ($1, 'acme', $2, 'human', 'bnd_1', $3, $4, $5, 'new_item', 'inbox', 'mail-hook', 'e', $6, 'd', now(), $7)`,
        [id, principal, land, project, pack, Buffer.from(randomUUID()), data],
      );
      return id;
    },
    async addWake(recordId: string, over: { rule?: string; principal?: string; dueInMs?: number } = {}) {
      const id = uuidv7();
      const { rule = 'fetch-mail', principal = 'user_42', dueInMs = 0 } = over;
      await pool.query(
        `insert into sense.wakes (wake_id, wake_rule, record_id, tenant_id, principal_id, due_at, created_at)
         values ($1, $2, $3, 'acme', $4, clock_timestamp() + $5 * interval '1 millisecond', clock_timestamp())`,
        [id, rule, recordId, principal, dueInMs],
      );
      return id;
    },
    async wake(id: string) {
      const { rows } = await pool.query(
        'select *, steps::text as steps from sense.wakes where wake_id = $1',
        [id],
      );
      return { ...rows[0], steps: JSON.parse(rows[0].steps) as StepOutcome[] };
    },
    runner(execute: Execute, over: Partial<RunnerParts> = {}) {
      return createWakeRunner({
        pool,
        execute,
        rules: [fetchMail],
        offer: async (ids, delayMs) => {
          offers.push({ ids, delayMs });
        },
        log,
        onOutcome: (state) => outcomes.push(state),
        retry: { maxTries: 3, baseMs: 20, capMs: 40 },
        chance: () => 0,
        ...over,
      });
    },
    async close() {
      await pool.end();
      await database.drop();
    },
  };
};
