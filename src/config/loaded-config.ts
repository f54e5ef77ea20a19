import type { WakeRule } from '../domain/execute.ts';
import type { Packs } from '../domain/pack.ts';
import type { Config } from './schema.ts';

/** What a process is started for; `all` is every role in one process. */
export const roles = ['all', 'ingress', 'worker', 'wake', 'fanout'] as const;
export type Role = (typeof roles)[number];

/** Secrets that the role needs, by the id that the configuration gives; the maps are empty for every other role (G7). */
export type Secrets = {
  /** Source id → its live secrets, in the order of the configuration. */
  sources: ReadonlyMap<string, readonly string[]>;
  /** Source id → what its vendor needs beside secrets. */
  params: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Token id → its secret. */
  tokens: ReadonlyMap<string, string>;
  /** Execute's bearer token; null unless this role wakes. */
  execute: string | null;
};

/** A server that the configuration or the environment names. */
export type StoreServer<Kind extends 'redis' | 'postgres'> = { kind: Kind; url: string };
/** The Postgres that we start ourselves; it keeps its data in `dir` (absolute). */
export type EmbeddedStore = { kind: 'embedded'; dir: string };

export type Stores = {
  database: StoreServer<'postgres'> | EmbeddedStore;
  queue: StoreServer<'redis' | 'postgres'> | EmbeddedStore;
};

/** The configuration, read once, checked whole and frozen. Directories in it are absolute; files of secrets are not. */
export type LoadedConfig = {
  /** Absolute path of the file, and of the directory that relative paths in it are taken from. */
  file: string;
  dir: string;
  /** Where this installation keeps its own state: SENSE_HOME, or `.sense` in the working directory. */
  home: string;
  config: Config;
  packs: Packs;
  secrets: Secrets;
  /** Reads them again from where they were: files may hold others by now. @throws CodedError SECRET_UNUSABLE */
  readSecrets: () => Promise<Secrets>;
  stores: Stores;
  wakeRules: readonly WakeRule[];
};
