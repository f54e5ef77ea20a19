/** SQLSTATE classes that say "this row", not "this database": data, integrity, and limits that a value ran into. */
const dataClasses: ReadonlySet<string> = new Set(['22', '23', '54']);

/**
 * Whether Postgres refused something for what it *is*. Trying it again can't help, so it is isolated; every other fault
 * (connection gone, disk full, lock timeout, deadlock) is the infrastructure's, and waiting helps.
 */
export const isDataFault = (error: unknown): boolean => {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return false;
  // A SQLSTATE has five characters; ECONNREFUSED and its like do not.
  return error.code.length === 5 && dataClasses.has(error.code.slice(0, 2));
};
