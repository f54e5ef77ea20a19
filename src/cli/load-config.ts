import type { Command } from 'commander';
import type { LoadedConfig, Role } from '../config/loaded-config.ts';
import { readConfig } from '../config/read-config.ts';
import { knownVendors } from './known-vendors.ts';

/**
 * Reads the configuration that a command was given: `-c, --config FILE` of it or of the program, else SENSE_CONFIG, else
 * `sense.yaml` in the working directory.
 * @param needs.role whose secrets to read; left out, none (use `readSecret` for a single one)
 * @throws what `readConfig` throws
 */
export const loadConfig = (command: Command, needs: { role?: Role } = {}): Promise<LoadedConfig> => {
  const { config } = command.optsWithGlobals<{ config?: string }>();
  const file = config ?? (process.env.SENSE_CONFIG?.trim() || 'sense.yaml');
  return readConfig({ file, env: process.env, role: needs.role ?? null, vendors: knownVendors });
};
