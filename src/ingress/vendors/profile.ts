import type { ErrorCode } from '../../domain/errors.ts';
import type { BodyKind } from '../body-format.ts';
import type { Condition, JsonPath, Place } from '../place.ts';
import type { Proof } from '../verify/scheme.ts';

/**
 * How an event is named: the first entry whose `when` (its first part, where left out) is present names it by joining
 * the parts that are present with a dot. A `detail` that is present makes a more exact name (`<name>.<detail>`) that a
 * mapping may use; without one for it, the plain name decides.
 */
export type EventName = { when?: Condition; parts: readonly Place[]; detail?: readonly Place[] };

/**
 * An account key `<key>:<value>`, the value from the first place that is there at all; where that place holds no id,
 * the delivery has no such key (a guess could be somebody else's). `on` limits it to some events.
 */
export type AccountKey = { key: string; from: readonly Place[]; on?: readonly string[] };

/** One place, or several that only together are one event; of those the first must be there. */
export type EventId = Place | { all: readonly Place[] };

/** A text of an answer: what stands somewhere, or the hex HMAC-SHA256 of it with the source's newest secret. */
export type Piece =
  | Place
  /** `only`: what the caller's text must match whole, so that no signature of a delivery can be had by asking. */
  | { hmacOf: Place; only: RegExp; encoding: 'hex' | 'base64'; prefix?: string }
  /** What the source's param says, or the text where it has none. */
  | { param: string; or: string };

export type Answer = {
  status: number;
  /** Left out: no body. */
  body?: Piece | { object: Readonly<Record<string, Piece>> };
  /** Left out: `text/plain; charset=utf-8`, or JSON for an `object`. */
  type?: string;
  headers?: Readonly<Record<string, Piece>>;
};

/** A request that only wants an answer: no record, no queue, no database. */
export type Handshake = {
  /** Left out: POST. */
  method?: 'GET' | 'HEAD' | 'OPTIONS';
  /** All must hold. One on the body is judged after it is parsed. */
  when: readonly Condition[];
  /** True: answered before anything is proven. The answer then holds at most what the caller sent. */
  unproven?: true;
  /** A text that must be the param's; 403 where it is not. `among`: one of the param's, else it is no handshake of ours. */
  token?: { at: Place; param: string; among?: true };
  answer: Answer;
  /** A key that the vendor plants: taken once, while the source is `pending`, and never replaced. */
  plants?: Place;
  /** A URL of the body, whole, that is fetched to confirm; only where the source has the param. */
  confirms?: { at: Place; url: RegExp; param: string };
};

/** A delivery as the vendor sends it, made up, for `hcp-sense send`. */
export type Sample = {
  headers?: Readonly<Record<string, string>>;
  body: Readonly<Record<string, unknown>> | readonly unknown[];
};

/** What a source of this vendor may or must have beside its secrets. */
export type Param = {
  /** `binding`: where the source has a fixed Binding, which anybody's events would otherwise reach. */
  needed: 'always' | 'binding' | 'never';
  /** Another param, without which this one must not be there. */
  with?: string;
  means: string;
};

/** For whoever sets it up; shown by `hcp-sense vendors show` and in docs/vendors.md. */
export type About = {
  name: string;
  /** The vendor's own page. */
  docs: string;
  /** What to set at the vendor. */
  setUp: string;
  /** What `secrets` holds; null where the vendor has none. */
  secret: string | null;
  /** Seconds in which the vendor wants its answer; null: not stated. */
  answerSeconds: number | null;
  /** Where the vendor stops calling for what we answer: on which kinds of answer, and when. */
  switchesOff?: { on: readonly ('4xx' | '5xx')[]; how: string };
  /** What an operator must know. */
  notes?: readonly string[];
  /** What we could not read in a source and took by best knowledge. */
  unconfirmed?: readonly string[];
};

/**
 * Everything about one vendor, as data. Event patterns name an event exactly or end with `*`; of several that match
 * the longest decides.
 */
export type VendorProfile = {
  vendor: string;
  about: About;
  proof: Proof;
  /** Proofs that are only taken where `params.scheme` names them. */
  weakProofs?: Readonly<Record<string, Proof>>;
  /** By name; one that ends with `*` stands for every name with that beginning. */
  params?: Readonly<Record<string, Param>>;
  takes: readonly BodyKind[];
  /** How a body is read where it is not simply JSON or a form. */
  reads?: 'cloudevents';
  handshakes: readonly Handshake[];
  /**
   * Lists whose entries are events of their own, as paths in which `*` is each entry: `['value', '*']`. The data of an
   * item is its own characters. Where the body holds none of them, it is one event as a whole.
   */
  split?: readonly JsonPath[];
  /** A member that holds JSON as text, or as base64 of it. `data`: the event's data is that JSON, not the item. */
  inner?: { at: JsonPath; as: 'text' | 'base64'; data: boolean };
  /**
   * A member of an item that is encrypted for us. In the item's data what it was encrypted from stands in its place; an item
   * that can't be opened is dropped alone. `keys`: what the names of the params with private keys begin with.
   */
  sealed?: { member: string; form: 'microsoft-graph'; keys: string };
  /** The member of an item that is its data, in its own characters; left out: the whole item. */
  data?: string;
  /** Headers that are the data of an event, as a JSON object, where the vendor says all in headers. None of them is a secret. */
  headerData?: readonly string[];
  /**
   * Where two events may be the same bytes, without id or time: what has no id is then another event in each delivery, a
   * repeated one as well. Left out, the same bytes are the same event.
   */
  repeats?: true;
  /** The first place that holds one; none: an id of our own. */
  deliveryId: readonly Place[];
  /** The first that is there; none: a hash of source, event and bytes. */
  eventId: readonly EventId[];
  event: readonly EventName[];
  occurredAt: readonly Place[];
  accounts: readonly AccountKey[];
  /** Event pattern → ref; a source's own `refs` replace it. */
  refs: Readonly<Record<string, string>>;
  /** Event pattern → state, for events that become `binding.degraded` or `binding.restored`. */
  states: Readonly<Record<string, string>>;
  /** Where the vendor wants another answer than 202 `{"accepted":n}`. */
  answer: { status: number; body: string; type?: string } | null;
  /** Where a refusal's own status would harm (a hook switched off for a 4xx): the status instead, with an empty body. */
  refusals?: Readonly<Partial<Record<ErrorCode, number>>>;
  /** By event name; the first is what `send` takes by default. Empty where only the vendor can sign. */
  samples: Readonly<Record<string, Sample>>;
};
