import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { plainText, strictShape } from '../../domain/strict-shape.ts';
import { leaseRecords } from '../../store/lease-records.ts';
import { releaseLease } from '../../store/release-lease.ts';
import { answerRecords } from '../answer-records.ts';
import { cloudEventBatch, manyEvents } from '../cloud-event.ts';
import { endpoint } from '../endpoint.ts';
import { leased } from '../shapes.ts';

/** Leases that run out and notices that got lost ring no bell; a waiting leaser looks for them this often. */
const LOOK_EVERY_MS = 2_000;

export const leaseInbox = endpoint({
  summary: 'Lease the oldest free records of the inbox',
  description:
    'Waits up to `wait_seconds` for the first record. A leased record goes to nobody else until its lease runs out; ' +
    'acknowledge it when it is dealt with. Delivery is at least once: work on `record_id` idempotently. As CloudEvents, ' +
    'the lease is in the headers `Hcp-Lease-Id` and `Hcp-Leased-Until`, which are not there where nothing was leased.',
  body: strictShape({
    max: z.int().min(1).max(500).default(10),
    lease_seconds: z.int().min(1).max(3600).default(60),
    wait_seconds: z.int().min(0).max(60).default(20),
    principal: plainText.optional(),
    pack: plainText.optional(),
    ref: plainText.optional(),
  }).prefault({}),
  answers: leased,
  forms: [{ media: manyEvents, answers: cloudEventBatch }],
  codes: [],
  handle: async ({ pool, bell, log }, { body, caller, signal, media }) => {
    const { lease_seconds: leaseSeconds, wait_seconds: waitSeconds, ...filter } = body;
    const leaseId = randomUUID();
    const deadline = performance.now() + waitSeconds * 1000;
    for (;;) {
      const seen = bell.rings();
      const { records, leasedUntil } = await leaseRecords(pool, caller.scope, {
        ...filter,
        leaseId,
        leaseSeconds,
      });
      if (records.length > 0) {
        if (signal.aborted) {
          // Nobody is there to take them: give them back now rather than when the lease runs out.
          await releaseLease(pool, caller.scope, leaseId, undefined);
          log.info({ token: caller.token, records: records.length }, 'inbox.lease_returned');
        }
        const until = leasedUntil?.toISOString() ?? null;
        return answerRecords(media, records, { lease_id: leaseId, leased_until: until });
      }
      const left = deadline - performance.now();
      if (left <= 0 || signal.aborted || bell.closed()) {
        return answerRecords(media, [], { lease_id: null, leased_until: null });
      }
      await bell.waitBeyond(seen, Math.min(left, LOOK_EVERY_MS), signal);
    }
  },
});
