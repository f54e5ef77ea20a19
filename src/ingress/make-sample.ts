import { CodedError } from '../domain/errors.ts';
import { createEventMatcher } from './create-event-matcher.ts';
import { findItems } from './find-items.ts';
import { nameEvent } from './name-event.ts';
import type { JsonPath, Place } from './place.ts';
import { readPath } from './read-path.ts';
import type { View } from './read-place.ts';
import { setPath } from './set-path.ts';
import type { SourceSettings } from './source.ts';
import { findProfile } from './vendors/find-profile.ts';
import type { Sample, VendorProfile } from './vendors/profile.ts';
import { listSchemes } from './verify/list-schemes.ts';

/** What the caller wants; everything left out has a default that is accepted by the quick start. */
export type SampleWish = {
  ref?: string | undefined;
  /** A vendor's event; the profile's `samples` name those we have. */
  event?: string | undefined;
  id: string;
  /** For a vendor a whole key, `installation:77`. */
  account?: string | undefined;
  state?: string | undefined;
  pack?: string | undefined;
  /** JSON text, sent as it is; webhook sources only. */
  data?: string | undefined;
  /** Milliseconds since 1970. */
  now: number;
};

export type MadeSample = { raw: Buffer; headers: Record<string, string> };

const usage = (detail: string) => new CodedError('USAGE', detail);

const sampleData = '{"id":"m1","subject":"Lunch on Friday?","from":"ada@example.com"}';

const makeAnnouncement = (
  settings: Extract<SourceSettings, { type: 'webhook' }>,
  wish: SampleWish,
): MadeSample => {
  if (wish.event !== undefined)
    throw usage(
      `Source ${settings.id} takes announcements, not a vendor's events: give --ref instead of --event`,
    );
  const ref = wish.ref ?? 'new_item';
  const pack = settings.packs === undefined ? undefined : (wish.pack ?? settings.packs[0]);
  const account = wish.account ?? (settings.binding === undefined ? 'inbox@example.com' : undefined);
  const state = wish.state ?? (ref === 'binding.degraded' ? 'expired' : undefined);
  const head = { ref, id: wish.id, pack, account, occurred_at: new Date(wish.now).toISOString(), state };
  const text = `${JSON.stringify(head).slice(0, -1)},"data":${wish.data ?? sampleData}}`;
  return { raw: Buffer.from(text), headers: {} };
};

/** A sample as the vendor's own mapping sees it: the first event, where it is a batch. */
const viewOf = (profile: VendorProfile, { body, headers = {} }: Sample): View => {
  const [first] = findItems(JSON.stringify(body), body, profile.split ?? []);
  return { headers, query: '', body, item: first?.value, parent: first?.parent };
};

const standsIn = (place: Place, { item, body, parent }: View): [unknown, JsonPath] | null => {
  if ('json' in place) return [item, place.json];
  if ('whole' in place) return [body, place.whole];
  return 'parent' in place ? [parent, place.parent] : null;
};

/** Fills every place in the body that the sample has, so that what is read first and what is read next agree. */
const fill = (view: View, places: readonly Place[], make: (old: unknown) => unknown): number => {
  let filled = 0;
  for (const place of places) {
    const [root, path] = standsIn(place, view) ?? [undefined, []];
    const old = readPath(root, path);
    if (path.length === 0 || old === undefined || old === null || old === '') continue;
    setPath(root, path, make(old));
    filled += 1;
  }
  return filled;
};

/** Now, in the form of the time that it replaces. */
const writeTime = (old: unknown, now: number): unknown => {
  if (typeof old === 'number') return Math.floor(now / 1000);
  return /^\d+\.\d+$/.test(String(old)) ? (now / 1000).toFixed(6) : new Date(now).toISOString();
};

const setAccount = (
  view: View,
  headers: Record<string, string>,
  { accounts: keys, split = [] }: VendorProfile,
  account: string,
): void => {
  const body = view.item;
  const [key, ...rest] = account.split(':');
  const value = rest.join(':');
  const spec = keys.find((one) => one.key === key);
  if (spec === undefined || value === '')
    throw usage(`--account must be one of ${keys.map((one) => `${one.key}:ID`).join(', ')}`);
  if (spec.from.some((place) => 'literal' in place && place.literal === value)) return;
  const id = (old: unknown) => (typeof old === 'number' ? Number(value) : value);
  if (fill(view, spec.from, id) > 0) return;
  // The entry of the list is itself the account (Dropbox).
  const list = split[0]?.slice(0, -1);
  if (list !== undefined && spec.from.some((place) => 'json' in place && place.json.length === 0)) {
    setPath(view.body, [...list, '0'], value);
    return;
  }
  for (const place of spec.from) {
    const url = 'origin' in place ? readPath(body, place.origin) : undefined;
    if (!('origin' in place) || typeof url !== 'string') continue;
    // All of them, or the next place would still name the sample's own.
    setPath(body, place.origin, url.replace(/^https?:\/\/[^/]+/, value));
  }
  const [first] = spec.from;
  const header = spec.from.find((place) => 'header' in place);
  if (header !== undefined && 'header' in header) headers[header.header] = value;
  else if (first !== undefined && 'json' in first) {
    if (first.json.length === 1) setPath(body, first.json, value);
    // GitHub's objects with an id, the only ones that a sample may lack.
    else
      setPath(body, first.json.slice(0, -1), {
        [first.json.at(-1) ?? 'id']: /^\d+$/.test(value) ? Number(value) : value,
      });
  }
};

const chooseSample = (
  profile: VendorProfile,
  refs: Readonly<Record<string, string>>,
  wish: SampleWish,
): Sample => {
  const events = Object.keys(profile.samples);
  if (wish.event !== undefined) {
    const sample = profile.samples[wish.event];
    if (sample !== undefined) return sample;
    throw usage(
      `There is no sample of ${profile.vendor} ${wish.event}; there are ${events.join(', ')}. Send your own with --file`,
    );
  }
  const findRef = createEventMatcher(refs);
  const refOf = (sample: Sample) => findRef(nameEvent(profile.event, viewOf(profile, sample)));
  const samples = Object.values(profile.samples);
  if (samples.length === 0)
    throw usage(`There are no samples of ${profile.vendor}; send your own with --file`);
  const found = wish.ref === undefined ? samples[0] : samples.find((sample) => refOf(sample) === wish.ref);
  if (found !== undefined) return found;
  const known = [...new Set(samples.flatMap((sample) => refOf(sample) ?? []))];
  throw usage(`No sample of ${profile.vendor} becomes ${wish.ref}; samples become ${known.join(', ')}`);
};

const makeVendorEvent = (
  settings: Extract<SourceSettings, { type: 'vendor' }>,
  wish: SampleWish,
): MadeSample => {
  if (wish.data !== undefined)
    throw usage(`--data is for webhook sources; give ${settings.vendor} a whole body with --file`);
  const profile = findProfile(settings.vendor);
  const sample = chooseSample(profile, settings.refs ?? profile.refs, wish);
  const body = structuredClone(sample.body);
  const headers: Record<string, string> = { ...sample.headers };
  const view = viewOf(profile, { headers, body });
  const ids = profile.eventId.flatMap((id) => ('all' in id ? [] : [id]));
  fill(view, [...profile.deliveryId, ...ids], () => wish.id);
  // Where headers together are the id, the last of them tells one event of a channel from the next.
  for (const id of profile.eventId) {
    const last = 'all' in id ? id.all.at(-1) : undefined;
    if (last !== undefined && 'header' in last) headers[last.header] = wish.id;
  }
  fill(view, profile.occurredAt, (old) => writeTime(old, wish.now));
  // A signing time within the signed body (Linear) has to be in it before anything is signed.
  for (const scheme of listSchemes(profile.proof)) {
    const time = 'timestamp' in scheme ? scheme.timestamp : undefined;
    if (time !== undefined && 'json' in time)
      fill(view, [{ whole: time.json }], (old) => (time.unit === 'ms' ? wish.now : writeTime(old, wish.now)));
  }
  if (wish.account !== undefined) setAccount(view, headers, profile, wish.account);
  return { raw: Buffer.from(JSON.stringify(body)), headers };
};

/**
 * A delivery as a source's sender would make it, unsigned: a made-up event that the source's own mapping takes.
 *
 * @throws CodedError USAGE naming what there is, where the wish can't be met
 */
export const makeSample = (settings: SourceSettings, wish: SampleWish): MadeSample =>
  settings.type === 'webhook' ? makeAnnouncement(settings, wish) : makeVendorEvent(settings, wish);

/** Headers beside the signature that name a vendor's event, for a body of the caller's own. */
export const eventHeaders = (settings: SourceSettings, event: string | undefined): Record<string, string> => {
  if (settings.type === 'webhook' || event === undefined) return {};
  const profile = findProfile(settings.vendor);
  const named = profile.event.flatMap(({ parts: [first] }) =>
    first !== undefined && 'header' in first ? [[first.header, event.split('.')[0] ?? event]] : [],
  );
  return { ...profile.samples[event]?.headers, ...Object.fromEntries(named) };
};
