import { CodedError } from '../domain/errors.ts';
import { mapAnnouncements } from './map-announcements.ts';
import { readBody } from './read-body.ts';
import type { Mapped } from './source.ts';

type Settings = {
  id: string;
  pack?: string | undefined;
  packs?: readonly string[] | undefined;
  binding?: string | undefined;
  cwd?: string | undefined;
};

/**
 * Makes what reads the announcements of a way in that is no HTTP: the data of a job, a line of a process. The same
 * checks and the same verbatim `data` as a webhook's body; nothing here is signed, so whoever can write there is trusted
 * to announce, and to nothing more.
 *
 * @param echoes whether a fault may repeat the sender's own words: into the failed job yes, into our log no
 * @throws CodedError CONFIG_INVALID for a source without a pack
 */
export const createAnnouncementReader = (settings: Settings, { echoes }: { echoes: boolean }) => {
  const packs = settings.packs ?? (settings.pack === undefined ? [] : [settings.pack]);
  if (packs.length === 0)
    throw new CodedError('CONFIG_INVALID', `Source ${settings.id} names no pack: set pack or packs`);
  const target = {
    source: settings.id,
    packs,
    namesPack: settings.packs !== undefined,
    binding: settings.binding ?? null,
    workspace: settings.cwd ?? null,
    echoes,
  };

  /** @param delivery its id as safe text; @param receivedAt RFC 3339 */
  return (raw: Buffer, delivery: string, receivedAt: string): Mapped => {
    const body = readBody('json', raw);
    if ('code' in body) return { ok: false, ...body };
    return mapAnnouncements(target, { body, delivery, receivedAt });
  };
};
