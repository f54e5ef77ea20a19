/** What the harness asks of the load process, and what it answers, over Node's IPC channel. */
export type LoadOrder = {
  port: number;
  path: string;
  /** Standard Webhooks secret, `whsec_…`. */
  secret: string;
  connections: number;
  /** Events are spread evenly over this many accounts, `user-<n>@example.com`. */
  accounts: number;
  /** Requests signed before the clock starts; running out of them before the end is an error. */
  prepare: number;
  warmUpMs: number;
  /** `null`: until all prepared requests were accepted. */
  windowMs: number | null;
  /** Requests a second, sent on time whether or not earlier ones were answered; `null`: as fast as they are answered. */
  rate: number | null;
};

export type LoadResult = {
  /** Epoch milliseconds of the measured window. */
  from: number;
  to: number;
  /** Answers 202 inside the window, and in all. */
  accepted: number;
  acceptedInAll: number;
  /** Answers by status inside the window. */
  statuses: Record<string, number>;
  /** Request to answer inside the window, milliseconds. */
  answerMs: { p50: number; p99: number };
  /** Share of one core that this process took in the window. */
  cpu: number;
};

export type LoadMessage =
  | { kind: 'ready' }
  | { kind: 'done'; result: LoadResult }
  | { kind: 'failed'; why: string };
