import { hasCode } from './has-code.ts';

/** @returns whether a process of this id exists, also where it is somebody else's. */
export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
};
