import { join } from 'node:path';
import type { LoadedConfig } from './config/loaded-config.ts';
import { createPlantedFiles } from './create-planted-files.ts';
import { createSource } from './ingress/create-source.ts';
import { createRemoteKeys } from './ingress/remote-keys/create-remote-keys.ts';
import type { Source } from './ingress/source.ts';

/** Every way in over HTTP of a configuration, by its id. @throws what `createSource` throws */
export const createSources = async ({
  config,
  secrets,
  home,
}: Pick<LoadedConfig, 'config' | 'secrets' | 'home'>): Promise<ReadonlyMap<string, Source>> => {
  const planted = createPlantedFiles(join(home, 'planted'));
  const keys = createRemoteKeys({ fetch, clock: Date.now });
  const publicUrl = config.http.public_url?.replace(/\/+$/, '');
  const sources = new Map<string, Source>();
  for (const source of config.sources) {
    if (source.type !== 'webhook' && source.type !== 'vendor') continue;
    const context = {
      params: secrets.params.get(source.id) ?? {},
      url: publicUrl === undefined ? null : `${publicUrl}/ingress/${source.id}`,
      keys,
      planted,
      plantedSecret: await planted.read(source.id),
    };
    sources.set(source.id, createSource(source, secrets.sources.get(source.id) ?? [], context));
  }
  return sources;
};
