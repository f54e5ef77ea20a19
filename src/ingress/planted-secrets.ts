/** Where keys that vendors plant are kept. One of a source, once taken, is never replaced. */
export type PlantedSecrets = {
  read: (source: string) => Promise<string | null>;
  /** Resolves once it is kept for good; false where there already is one, which stays. */
  plant: (source: string, secret: string) => Promise<boolean>;
};
