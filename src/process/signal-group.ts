/** Sends a signal to every process of a group. @returns false where there is none left, or none that is ours */
export const signalGroup = (group: number, signal: NodeJS.Signals | 0): boolean => {
  // 0 and 1 would mean our own group, or everything.
  if (!Number.isInteger(group) || group <= 1) return false;
  try {
    process.kill(-group, signal);
    return true;
  } catch {
    return false;
  }
};
