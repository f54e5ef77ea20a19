import { randomUUID } from 'node:crypto';
import type { Announcement } from '../domain/announcement.ts';
import { hashId } from '../domain/hash-id.ts';
import { safeText } from '../domain/safe-text.ts';
import { createEventMatcher } from './create-event-matcher.ts';
import { asId, readId, readPlace } from './read-place.ts';
import { readTime } from './read-time.ts';
import type { Arrival, Mapped } from './source.ts';
import type { EventName, VendorProfile } from './vendors/profile.ts';
import type { Headers } from './verify/verdict.ts';

/** The names of the event, the more exact first; empty where the delivery names none. */
export const nameEvent = (names: readonly EventName[], headers: Headers, body: unknown): string[] => {
  for (const { when, parts, detail } of names) {
    const first = when ?? parts[0];
    if (first === undefined || asId(readPlace(first, headers, body)) === null) continue;
    const name = parts.flatMap((part) => asId(readPlace(part, headers, body)) ?? []).join('.');
    const more = readId(detail ?? [], headers, body);
    return more === null ? [name] : [`${name}.${more}`, name];
  }
  return [];
};

/** Makes the mapping of one vendor's events for one source: always one announcement, with the whole JSON as its data. */
export const createVendorMapper = (target: {
  source: string;
  pack: string;
  profile: VendorProfile;
  refs: Readonly<Record<string, string>>;
  binding: string | null;
  workspace: string | null;
}) => {
  const { profile } = target;
  const findRef = createEventMatcher(target.refs);
  const findState = createEventMatcher(profile.states);
  const accounts = profile.accounts.map(({ key, from, on }) => ({
    key,
    from,
    bears:
      on === undefined ? () => true : createEventMatcher(Object.fromEntries(on.map((name) => [name, true]))),
  }));

  return ({ headers, raw, body, receivedAt }: Arrival): Mapped => {
    if (typeof body.value !== 'object' || body.value === null || Array.isArray(body.value))
      return { ok: false, code: 'BODY_MALFORMED', detail: 'The body is not a JSON object' };

    const names = nameEvent(profile.event, headers, body.value);
    const name = names.at(-1) ?? '';
    const ref = names.length === 0 ? undefined : findRef(names);
    const id = readId(profile.eventId, headers, body.value);
    const sentDelivery = readId(profile.deliveryId, headers, body.value);
    const delivery = sentDelivery === null ? randomUUID() : safeText(sentDelivery);
    // Without an id the same bytes are the same event, whenever they come.
    const eventHash = hashId(id ?? `${target.source}\n${name}\n${raw.toString('latin1')}`);
    const occurred = profile.occurredAt.map((place) => readTime(readPlace(place, headers, body.value)));
    const keys = accounts.flatMap(({ key, from, bears }) => {
      if (bears(names) !== true) return [];
      const value = readId(from, headers, body.value);
      // One that the directory can't hold matches nothing; cut or mended it might match another's.
      return value !== null && value === safeText(value, 256) ? [`${key}:${value}`] : [];
    });

    const announcement: Announcement = {
      source: target.source,
      delivery,
      pack: target.pack,
      ref: ref ?? safeText(name === '' ? 'unnamed' : name, 128),
      event: id === null ? `sha256:${eventHash}` : safeText(id),
      eventHash,
      accounts: keys,
      binding: target.binding,
      workspace: target.workspace,
      occurredAt: occurred.find((time) => time !== null) ?? null,
      receivedAt,
      // binding.degraded carries a state (S23): where the profile has none for it, the event's own name says it best.
      state: ref?.startsWith('binding.') ? safeText(findState(names) ?? name, 64) : null,
      // What is dropped is not kept (G6).
      data: ref === undefined ? 'null' : body.text,
    };
    if (ref === undefined)
      announcement.refusal = {
        reason: 'event_unmapped',
        rule: 'map-event',
        detail:
          name === ''
            ? `The ${profile.vendor} delivery names no event`
            : `No mapping names the ${profile.vendor} event ${safeText(name, 128)}`,
      };
    return { ok: true, delivery, announcements: [announcement] };
  };
};
