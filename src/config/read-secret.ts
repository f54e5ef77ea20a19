import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { SecretRef } from './schema.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
export type SecretReading = { value: string } | { unusable: string };

/**
 * Reads one secret from where the configuration names it. A file's last line end is not part of it: editors and `echo` add
 * one. Blank is unusable, since an empty key verifies whatever anybody signs with an empty key.
 * @param dir what relative file paths are taken from
 * @returns the secret, or why it can't be used, without any part of it
 */
export const readSecret = async (
  ref: SecretRef,
  { env, dir }: { env: Environment; dir: string },
): Promise<SecretReading> => {
  const where = 'env' in ref ? `environment variable ${ref.env}` : `file ${ref.file}`;
  const value = 'env' in ref ? env[ref.env] : await readText(resolve(dir, ref.file));
  if (value === undefined)
    return { unusable: `${where} is ${'env' in ref ? 'unset' : 'missing or unreadable'}` };
  if (value === '') return { unusable: `${where} is empty` };
  if (value.trim() === '') return { unusable: `${where} is blank` };
  return { value };
};

const readText = async (path: string): Promise<string | undefined> => {
  try {
    return (await readFile(path, 'utf8')).replace(/\r?\n$/, '');
  } catch {
    return undefined;
  }
};
