import { randomUUID } from 'node:crypto';
import { safeText } from '../domain/safe-text.ts';
import { type AnnouncementTarget, mapAnnouncements } from './map-announcements.ts';
import type { Arrival, Mapped } from './source.ts';

/** Header text that is UTF-8 on the wire comes from Node as Latin-1. */
const headerText = (value: string): string =>
  /[\u0080-\u00ff]/.test(value) ? Buffer.from(value, 'latin1').toString('utf8') : value;

/**
 * Makes the mapping for `type: webhook`.
 * @param deliveryHeader where the scheme carries a delivery id; null: one of our own
 */
export const createAnnouncementMapper =
  (target: Omit<AnnouncementTarget, 'echoes'>, deliveryHeader: string | null) =>
  ({ headers, body, receivedAt }: Arrival): Mapped => {
    const header = deliveryHeader === null ? undefined : headers[deliveryHeader];
    const delivery = typeof header === 'string' ? safeText(headerText(header)) : randomUUID();
    return mapAnnouncements({ ...target, echoes: true }, { body, delivery, receivedAt });
  };
