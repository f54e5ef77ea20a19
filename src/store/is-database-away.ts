/** SQLSTATE classes and states in which Postgres works for nobody right now, or not for us at all (no such database, login). */
const awayStates = /^(08|28|3D|53|57P|57014|55P03|25P03|40001|40P01)/;
const awaySystemCodes = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENOENT)/;
/** What `pg` itself throws has no code. */
const awayMessages =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error/i;

/** Whether a query failed because the database is away or overloaded: the same call may succeed later. */
export const isDatabaseAway = (error: unknown): boolean => {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isDatabaseAway);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return awayStates.test(code) || awaySystemCodes.test(code) || awayMessages.test(error.message);
};
