import type { LoadedConfig } from '../config/loaded-config.ts';
import { CodedError } from '../domain/errors.ts';
import { nearestKey } from '../domain/nearest-key.ts';

/** @throws PACK_UNKNOWN where the configuration loads no such pack, with the nearest one that it does */
export const checkPack = ({ packs }: LoadedConfig, pack: string): void => {
  if (packs.has(pack)) return;
  const known = [...packs.keys()];
  throw new CodedError(
    'PACK_UNKNOWN',
    `There is no pack "${pack}"${nearestKey(pack, known)} (loaded: ${known.join(', ')})`,
  );
};
