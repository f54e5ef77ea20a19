import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Announcement } from '../domain/announcement.ts';

/** What batches recorded together became, as far as metrics care. */
type BatchFacts = {
  decided: number;
  records: readonly { announcement: Announcement; decision: { route: string } }[];
  duplicates: readonly { announcement: Announcement }[];
  drops: readonly { announcement: Announcement; drop: { reason: string } }[];
  deadLetters: readonly { announcement: Announcement }[];
};

type QueueDepth = readonly { partition: number; waiting: number; active: number; failed: number }[];

/**
 * Everything at GET /metrics. Labels are ours (sources, packs, refs of packs, codes), never a caller's text, so the
 * number of series is bounded by the configuration.
 */
export const createMetrics = (parts: { depth: () => Promise<QueueDepth>; packs: ReadonlySet<string> }) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];

  const deliveries = new Counter({
    name: 'hcp_sense_deliveries_total',
    help: 'Deliveries by source, HTTP status and error code (empty when accepted)',
    labelNames: ['source', 'status', 'code'],
    registers,
  });
  const unproven = new Counter({
    name: 'hcp_sense_unproven_items_total',
    help: 'Items of batches that did not prove themselves while others did, by source; nothing of them is kept',
    labelNames: ['source'],
    registers,
  });
  const announcements = new Counter({
    name: 'hcp_sense_announcements_total',
    help: 'Decisions by pack: inbox, silent, duplicate, dead, or the reason of a drop',
    labelNames: ['pack', 'decision'],
    registers,
  });
  const batchSize = new Histogram({
    name: 'hcp_sense_batch_announcements',
    help: 'Announcements decided in one recording transaction',
    buckets: [1, 2, 5, 10, 25, 50, 100, 250, 500],
    registers,
  });
  const batchSeconds = new Histogram({
    name: 'hcp_sense_batch_seconds',
    help: 'Time of a recording transaction',
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers,
  });
  const acceptToRecord = new Histogram({
    name: 'hcp_sense_accept_to_record_seconds',
    help: 'Time from the last byte of a delivery to the commit of its record',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 300],
    registers,
  });
  const wakes = new Counter({
    name: 'hcp_sense_wakes_total',
    help: 'Wakes that are over, by outcome',
    labelNames: ['outcome'],
    registers,
  });
  new Gauge({
    name: 'hcp_sense_queue_batches',
    help: 'Batches in the queue by partition and state',
    labelNames: ['partition', 'state'],
    registers,
    async collect() {
      for (const { partition, ...states } of await parts.depth().catch(() => [])) {
        for (const [state, count] of Object.entries(states))
          this.set({ partition: String(partition), state }, count);
      }
    },
  });

  /** A pack that nobody loaded is a caller's text and would make a series of its own. */
  const packLabel = (pack: string): string => (parts.packs.has(pack) ? pack : 'unknown');

  return {
    registry,
    onDelivery: (delivery: {
      source: string | null;
      status: number;
      code: string | null;
      /** Left out by ways in that have no such items. */
      unproven?: number;
    }): void => {
      const source = delivery.source ?? 'unknown';
      deliveries.inc({ source, status: String(delivery.status), code: delivery.code ?? '' });
      if (delivery.unproven !== undefined && delivery.unproven > 0)
        unproven.inc({ source }, delivery.unproven);
    },
    onRecorded: (outcome: BatchFacts, tookMs: number): void => {
      batchSize.observe(outcome.decided);
      batchSeconds.observe(tookMs / 1000);
      const now = Date.now();
      for (const { announcement, decision } of outcome.records) {
        announcements.inc({ pack: packLabel(announcement.pack), decision: decision.route });
        acceptToRecord.observe(Math.max(0, now - Date.parse(announcement.receivedAt)) / 1000);
      }
      for (const { announcement } of outcome.duplicates) {
        announcements.inc({ pack: packLabel(announcement.pack), decision: 'duplicate' });
      }
      for (const { announcement, drop } of outcome.drops) {
        announcements.inc({ pack: packLabel(announcement.pack), decision: drop.reason });
      }
      for (const { announcement } of outcome.deadLetters) {
        announcements.inc({ pack: packLabel(announcement.pack), decision: 'dead' });
      }
    },
    onWake: (outcome: string): void => {
      wakes.inc({ outcome });
    },
  };
};
