/** What one source lets in before anybody asks what it says. */
export type Gate = {
  /** Bytes, before and after unpacking. */
  bodyLimit: number;
  /** Deliveries are refused as 503, so that they come again; handshakes are answered. */
  paused: boolean;
  /** Whether it may be called from this address; null: from anywhere. */
  admitsPeer: ((address: string) => boolean) | null;
  /** Spends one delivery and says in how many milliseconds there is room for it: 0 at once. Null: no limit. */
  spend: (() => number | Promise<number>) | null;
};
