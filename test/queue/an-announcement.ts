import type { Announcement } from '../../src/domain/announcement.ts';

/** The n-th event of one account at one source; `event` tells which. */
export const anAnnouncement = (event: number | string, more: Partial<Announcement> = {}): Announcement => ({
  source: 'mail-hook',
  delivery: `delivery-${event}`,
  pack: 'mail',
  ref: 'new_item',
  event: String(event),
  eventHash: `hash-${event}`,
  accounts: ['inbox@example.com'],
  binding: null,
  workspace: null,
  occurredAt: null,
  receivedAt: '2026-01-01T00:00:00.000Z',
  state: null,
  data: `{"n":${JSON.stringify(event)}}`,
  ...more,
});
