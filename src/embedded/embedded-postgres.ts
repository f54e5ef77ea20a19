/** A Postgres that is there at a place (`.sense/postgres`), whoever started it. */
export type EmbeddedPostgres = {
  url: string;
  dataDir: string;
  /** Why something does not lie there, in words to print; null where all does. */
  movedBecause: string | null;
  /** Ends it within about eight seconds if we started it; leaves it alone if another process did. */
  stop(): Promise<void>;
};
