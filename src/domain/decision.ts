import type { DropReason } from './announcement.ts';
import type { Land } from './pack.ts';

/** What the directory says of one Binding that matches an announcement. Read in the recording transaction. */
export type BindingFact = {
  id: string;
  pack: string;
  account: string | null;
  mode: 'user' | 'mothership' | 'local';
  project: string | null;
  /** Null where the Principal is not in the directory: nothing is recorded then. */
  principal: { id: string; kind: string; tenant: string } | null;
  /** A `sense.enable` grant for this Principal and pack exists. */
  senseEnabled: boolean;
  /** An elevation grant for this Principal and Binding exists (S36). */
  elevated: boolean;
};

/** The facts that bear on one announcement. A fact that is missing means no (S35). */
export type Facts = {
  bindings: readonly BindingFact[];
  /** Activation of Sense for the pack; undefined where nobody ever set it. */
  activation: 'on' | 'off' | undefined;
};

/** Whose an event is and where it belongs: from the Binding, its Principal and Policy alone. */
export type Attribution = {
  tenant: string;
  principal: { id: string; kind: string };
  binding: string;
  land: Land;
  project: string | null;
};

/** `rule` names the step that decided, for `explain`; `why` says it in a sentence. */
export type Drop = { kind: 'drop'; reason: DropReason; rule: string; why: string; binding: string | null };
export type Accepted = {
  kind: 'record';
  route: 'inbox' | 'silent';
  rule: string;
  why: string;
  attribution: Attribution;
};
export type Decision = Drop | Accepted;
