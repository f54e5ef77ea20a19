/** @returns whether this is the system's error of that name (`ENOENT`, `EPERM`). */
export const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;
