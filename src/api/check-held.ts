import { CodedError } from '../domain/errors.ts';

/**
 * Ids that were asked for but are not held by the lease any more.
 * @throws LEASE_UNKNOWN where the lease holds none at all, so that a leaser that came too late can't miss it
 */
export const checkHeld = (held: readonly string[], asked: readonly string[] | undefined): string[] => {
  if (held.length === 0) throw new CodedError('LEASE_UNKNOWN');
  const known = new Set(held);
  return (asked ?? []).map((id) => id.toLowerCase()).filter((id) => !known.has(id));
};
