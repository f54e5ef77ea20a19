import { pause } from './pause.ts';
import { signalGroup } from './signal-group.ts';

const lookEveryMs = 25;
/** After a KILL. In a container without an init nobody may ever collect what it left, and it counts as alive for ever. */
const killedWithinMs = 2_000;

const goneWithin = async (group: number, ms: number): Promise<boolean> => {
  for (const deadline = Date.now() + ms; Date.now() < deadline; await pause(lookEveryMs))
    if (!signalGroup(group, 0)) return true;
  return !signalGroup(group, 0);
};

/** Ends a process group: TERM, and KILL for what is left of it after `graceMs`. Resolves when it is gone. */
export const endGroup = async (group: number, graceMs: number): Promise<void> => {
  if (!signalGroup(group, 'SIGTERM')) return;
  if (await goneWithin(group, graceMs)) return;
  signalGroup(group, 'SIGKILL');
  await goneWithin(group, killedWithinMs);
};
