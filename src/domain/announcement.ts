/**
 * Words: a *delivery* is one request, job or line that arrives; an *announcement* is one event in it, in our canonical
 * form. This is what rides the queue, so it is plain JSON. Everything in it that says *whose* the event is comes from
 * our configuration (source, pack, fixed Binding) or is a mere look-up key (accounts); nothing in `data` is read (G5).
 */
export type Announcement = {
  source: string;
  /** The provider's delivery id as safe text, or our own where it sends none. What `explain` asks for. */
  delivery: string;
  pack: string;
  ref: string;
  /** The event's id as safe text, to show. */
  event: string;
  /** SHA-256 of the id exactly as sent, hex: with Binding and ref the de-duplication key. */
  eventHash: string;
  /** Account keys that the delivery yields; every Binding that matches one gets its own decision. */
  accounts: readonly string[];
  /** The Binding that the source fixes (`sources[].binding`), else null. */
  binding: string | null;
  /** The source's workspace directory (`sources[].cwd`), absolute; what `local` land is held to. */
  workspace: string | null;
  /** RFC 3339, or null where the provider gave none that can be read. */
  occurredAt: string | null;
  /** RFC 3339, when we had the last byte. */
  receivedAt: string;
  /** For `binding.degraded`: what state the Binding is in. */
  state: string | null;
  /** The payload as JSON text, the very characters that were sent (G9). `null` where there was none. */
  data: string;
  /**
   * Set where ingress already knows that this can't be recorded (a vendor event that no mapping names). It rides along
   * without payload so that the drop is counted and can be explained like any other.
   */
  refusal?: { reason: DropReason; rule: string; detail: string };
};

/** What one BullMQ job carries: announcements of one partition, in the order they were accepted. */
export type Batch = {
  /** UUID; the transaction of a batch is committed once, however often its job runs. */
  id: string;
  announcements: readonly Announcement[];
};

/** Why an accepted announcement is not recorded. Those with `true` are reported: metric, `warn` log line, drops list. */
export const dropReasons = {
  ref_undeclared: true,
  pack_unknown: true,
  binding_unknown: true,
  announcement_invalid: true,
  project_required: true,
  workspace_outside: true,
  elevation_required: true,
  sense_not_granted: false,
  sense_off: false,
  event_unmapped: false,
} as const satisfies Record<string, boolean>;

export type DropReason = keyof typeof dropReasons;
