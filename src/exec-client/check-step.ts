import type { ErrorCode } from '../domain/errors.ts';
import type { Packs } from '../domain/pack.ts';
import type { ExecGrant } from './driver.ts';

export type Refusal = { code: ErrorCode; detail: string };

type Call = { pack: string; verb: string; projectId: string | null };

/**
 * Whether this command may be called at all, before anything leaves us: null, or why not. A fact that is missing means
 * no (S35). Only `verb.exec.read` and `verb.exec.write` open anything, each its own half (S27); `sense.enable` and
 * `pack.connect` open nothing (S17, S29).
 */
export const checkStep = (
  { pack: packId, verb, projectId }: Call,
  packs: Packs,
  grants: readonly ExecGrant[],
): Refusal | null => {
  const pack = packs.get(packId)?.pack;
  if (pack === undefined) return { code: 'EXEC_VERB_UNKNOWN', detail: `No pack ${packId} is loaded` };
  // By its name too: a pack that forgot to declare its connect command must not become the way around S29.
  if (pack.connectVerbs.has(verb) || verb.split('.').at(-1)?.toLowerCase() === 'connect') {
    return { code: 'EXEC_CONNECT_REFUSED', detail: `${packId}.${verb} is a connect command` };
  }
  const row = pack.verbs.get(verb);
  if (row === undefined)
    return { code: 'EXEC_VERB_UNKNOWN', detail: `Pack ${packId} has no command ${verb}` };

  const capability = row.operation === 'read' ? 'verb.exec.read' : 'verb.exec.write';
  const granted = grants.some(
    (grant) =>
      grant.capability === capability &&
      grant.pack_id === packId &&
      (grant.verb_keys === undefined || grant.verb_keys.includes(verb)),
  );
  if (!granted)
    return { code: 'EXEC_GRANT_MISSING', detail: `execute.grants lacks ${capability} for ${packId}.${verb}` };
  if (row.land === 'brain' && projectId === null) {
    return {
      code: 'EXEC_PROJECT_REQUIRED',
      detail: `${packId}.${verb} has land brain and the record has no project`,
    };
  }
  return null;
};
