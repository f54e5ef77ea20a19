/** The protocol's exec envelope (S31): what goes to a runtime … */
export type ExecRequest = {
  pack_id: string;
  verb_key: string;
  args: Readonly<Record<string, unknown>>;
  principal: { id: string; kind: string };
  tenant_id: string;
  project_id: string | null;
};

/** … and what comes back. */
export type ExecAnswer =
  | { ok: true; pack_id: string; verb_key: string; result: unknown }
  | {
      ok: false;
      pack_id: string;
      verb_key: string;
      error: string;
      code?: string;
      preview?: unknown;
      hint?: string;
    };

/** What became of one step of a wake. Nothing ran unless it is `done`. */
export type StepOutcome = {
  pack: string;
  verb: string;
  outcome: 'done' | 'confirm_required' | 'denied' | 'failed';
  /** Catalogue code or the runtime's own; null when done. */
  code: string | null;
  message: string | null;
  result?: unknown;
  preview?: unknown;
  hint?: string;
  /** Set on `failed` where the same call may succeed later: the wake tries it again. */
  transient?: true;
  /** How often this step has failed so far; set with `transient`. */
  tries?: number;
};

/** States of a wake. `pending` and `running` are open, the others final. */
export const wakeStates = [
  'pending',
  'running',
  'done',
  'confirm_required',
  'denied',
  'failed',
  'suppressed',
  'coalesced',
] as const;
export type WakeState = (typeof wakeStates)[number];

/** One configured wake (`wakes[]`): which records wake what. */
export type WakeRule = {
  id: string;
  on: { pack: string; ref: string };
  steps: readonly { pack: string; verb: string; args: Readonly<Record<string, unknown>> }[];
  /** Milliseconds; records of one Principal within them share one wake. 0: every record wakes. */
  coalesceMs: number;
  /** Runs a Principal may cause in an hour; null: no bound. */
  perPrincipalPerHour: number | null;
};
