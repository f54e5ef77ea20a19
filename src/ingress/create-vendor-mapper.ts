import { randomUUID } from 'node:crypto';
import type { Announcement } from '../domain/announcement.ts';
import { hashId } from '../domain/hash-id.ts';
import { safeText } from '../domain/safe-text.ts';
import { createEventMatcher } from './create-event-matcher.ts';
import { findItems, type Item } from './find-items.ts';
import { nameEvent } from './name-event.ts';
import type { Place } from './place.ts';
import { readEventId } from './read-event-id.ts';
import { readInner } from './read-inner.ts';
import { readPath } from './read-path.ts';
import { readId, readPlace, type View } from './read-place.ts';
import { readTime } from './read-time.ts';
import type { OpenSealed } from './sealed/open-sealed.ts';
import { sliceMembers } from './slice-members.ts';
import type { Arrival, Mapped } from './source.ts';
import type { VendorProfile } from './vendors/profile.ts';

type Refusal = NonNullable<Announcement['refusal']>;
/** Null where the item holds nothing encrypted. */
type Opened = Awaited<ReturnType<OpenSealed>> | null;

/** The time at the first place that holds one. */
const readFirstTime = (places: readonly Place[], view: View): string | null => {
  for (const place of places) {
    const time = readTime(readPlace(place, view));
    if (time !== null) return time;
  }
  return null;
};

/** Makes the mapping of one vendor's events for one source: one announcement for each event of a delivery. */
export const createVendorMapper = (target: {
  source: string;
  pack: string;
  profile: VendorProfile;
  refs: Readonly<Record<string, string>>;
  binding: string | null;
  workspace: string | null;
  /** Opens the encrypted member of the vendor's items. */
  open: OpenSealed | null;
}) => {
  const { profile, open } = target;
  const { split = [], inner, sealed } = profile;
  const findRef = createEventMatcher(target.refs);
  const findState = createEventMatcher(profile.states);
  const accounts = profile.accounts.map(({ key, from, on }) => ({
    key,
    from,
    bears:
      on === undefined ? () => true : createEventMatcher(Object.fromEntries(on.map((name) => [name, true]))),
  }));

  /** What is in the place of the encrypted member, where an item has one. */
  const openItem = async ({ value }: Item): Promise<Opened> => {
    const member = sealed === undefined ? undefined : readPath(value, [sealed.member]);
    return open === null || member === undefined || member === null ? null : open(member);
  };

  /** The item with its encrypted member opened; all else in its own characters (G9). */
  const unseal = (text: string, opened: Opened): string => {
    if (sealed === undefined || opened === null || 'fault' in opened) return text;
    const [from, to] = sliceMembers(text).get(sealed.member) ?? [0, 0];
    return text.slice(0, from) + opened.text + text.slice(to);
  };

  const dataOf = (text: string, headers: Arrival['headers']): string => {
    if (profile.headerData !== undefined)
      return JSON.stringify(Object.fromEntries(profile.headerData.map((name) => [name, headers[name]])));
    if (profile.data === undefined) return text;
    const span = sliceMembers(text).get(profile.data);
    return span === undefined ? 'null' : text.slice(...span);
  };

  const refuseSealed = (fault: string): Refusal => ({
    reason: 'announcement_invalid',
    rule: 'open-sealed',
    detail: fault,
  });

  const refuse = (name: string): Refusal => ({
    reason: 'event_unmapped',
    rule: 'map-event',
    detail:
      name === ''
        ? `The ${profile.vendor} delivery names no event`
        : `No mapping names the ${profile.vendor} event ${safeText(name, 128)}`,
  });

  const announce = (item: Item, arrival: Arrival, delivery: string, opened: Opened): Announcement => {
    const carried = inner === undefined ? null : readInner(inner, item.value);
    const view: View = {
      headers: arrival.headers,
      query: arrival.query,
      body: arrival.body.value,
      item: item.value,
      parent: item.parent,
      inner: carried?.value,
    };
    const names = nameEvent(profile.event, view);
    const name = names.at(-1) ?? '';
    const ref = names.length === 0 ? undefined : findRef(names);
    const id = readEventId(profile.eventId, view);
    // Without an id the same bytes are the same event, whenever they come; of a mere notice, in this delivery.
    const bytes = item.text === arrival.body.text ? arrival.raw.toString('latin1') : item.text;
    const within = profile.repeats === true ? `${delivery}\n` : '';
    const eventHash = hashId(id?.key ?? `${target.source}\n${within}${name}\n${bytes}`);
    const keys = accounts.flatMap(({ key, from, bears }) => {
      if (bears(names) !== true) return [];
      const value = readId(from, view);
      // One that the directory can't hold matches nothing; cut or mended it might match another's.
      return value !== null && value === safeText(value, 256) ? [`${key}:${value}`] : [];
    });
    const data =
      inner?.data === true && carried !== null
        ? carried.text
        : dataOf(unseal(item.text, opened), arrival.headers);
    const faulty = opened !== null && 'fault' in opened ? refuseSealed(opened.fault) : undefined;
    const refusal = ref === undefined ? refuse(name) : faulty;
    return {
      source: target.source,
      delivery,
      pack: target.pack,
      ref: ref ?? safeText(name === '' ? 'unnamed' : name, 128),
      event: id === null ? `sha256:${eventHash}` : safeText(id.shown),
      eventHash,
      accounts: keys,
      binding: target.binding,
      workspace: target.workspace,
      occurredAt: readFirstTime(profile.occurredAt, view),
      receivedAt: arrival.receivedAt,
      // binding.degraded carries a state (S23): where the profile has none for it, the event's own name says it best.
      state: ref?.startsWith('binding.') ? safeText(findState(names) ?? name, 64) : null,
      // What is dropped is not kept (G6).
      data: refusal === undefined ? data : 'null',
      ...(refusal === undefined ? {} : { refusal }),
    };
  };

  return (arrival: Arrival): Mapped | Promise<Mapped> => {
    const { headers, query, body, admits } = arrival;
    const isList = Array.isArray(body.value);
    if (
      (typeof body.value !== 'object' || body.value === null || (isList && split.length === 0)) &&
      arrival.raw.length > 0
    )
      return { ok: false, code: 'BODY_MALFORMED', detail: 'The body is not a JSON object' };

    const whole: View = { headers, query, body: body.value, item: body.value };
    const sentDelivery = readId(profile.deliveryId, whole);
    const delivery = sentDelivery === null ? randomUUID() : safeText(sentDelivery);
    const items = findItems(body.text, body.value, split);
    const proven = admits === undefined ? items : items.filter(({ value }) => admits(value));
    const mapped = (announcements: readonly Announcement[]): Mapped => ({
      ok: true,
      delivery,
      announcements,
      unproven: items.length - proven.length,
    });
    if (open === null) return mapped(proven.map((item) => announce(item, arrival, delivery, null)));
    return Promise.all(
      proven.map(async (item) => announce(item, arrival, delivery, await openItem(item))),
    ).then(mapped);
  };
};
