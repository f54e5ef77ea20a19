import type { HmacScheme } from '../verify/hmac-scheme.ts';

/** Where a text stands in a delivery. Header names are lower case; `json` is a path of own members. */
export type Place = { header: string } | { json: readonly string[] } | { literal: string };

/**
 * How an event is named: the first entry whose `when` (its first part, where left out) is present names it by joining
 * the parts that are present with a dot. A `detail` that is present makes a more exact name (`<name>.<detail>`) that a
 * mapping may use; without one for it, the plain name decides.
 */
export type EventName = { when?: Place; parts: readonly Place[]; detail?: readonly Place[] };

/**
 * An account key `<key>:<value>`, the value from the first place that is there at all; where that place holds no id,
 * the delivery has no such key (a guess could be somebody else's). `on` limits it to some events.
 */
export type AccountKey = { key: string; from: readonly Place[]; on?: readonly string[] };

/** A delivery that only wants an answer: no record, no queue, no database. `where` is compared with `is` exactly. */
export type Handshake = {
  where: { header: string } | { json: readonly string[] };
  is: string;
  /** `{ json }`: the text that stands there, as text/plain. */
  answer: { status: number; body: { literal: string } | { json: readonly string[] } };
};

/** A delivery as the vendor sends it, made up, for `hcp-sense send`. */
export type Sample = { headers?: Readonly<Record<string, string>>; body: Readonly<Record<string, unknown>> };

/**
 * Everything about one vendor, as data. Event patterns name an event exactly or end with `*`; of several that match
 * the longest decides.
 */
export type VendorProfile = {
  vendor: string;
  signature: HmacScheme;
  /** Whether deliveries may be form encoded; see `readForm`. */
  takesForms: boolean;
  handshakes: readonly Handshake[];
  /** The first place that holds one; none: an id of our own. */
  deliveryId: readonly Place[];
  /** The first place that holds one; none: a hash of source, event and bytes. */
  eventId: readonly Place[];
  event: readonly EventName[];
  occurredAt: readonly Place[];
  accounts: readonly AccountKey[];
  /** Event pattern → ref; a source's own `refs` replace it. */
  refs: Readonly<Record<string, string>>;
  /** Event pattern → state, for events that become `binding.degraded` or `binding.restored`. */
  states: Readonly<Record<string, string>>;
  /** Where the vendor wants another answer than 202 `{"accepted":n}`. */
  answer: { status: number; body: string } | null;
  /** By event name; the first is what `send` takes by default. */
  samples: Readonly<Record<string, Sample>>;
};
