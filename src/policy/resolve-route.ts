import type { LoadedPack } from '../domain/pack.ts';

/** Refs that a person wants to see unless the operator routed them otherwise (design: configuration, `packs[].routes`). */
const userFacing: ReadonlySet<string> = new Set(['new_item', 'item.updated', 'binding.degraded']);

/** Where a trigger goes, and why. */
export type Route = { route: 'inbox' | 'silent' | 'drop'; why: string };

/**
 * Activation off drops; else the operator's route for the ref, else `inbox` for a user-facing ref and `silent` for
 * another (S12, S13). Activation that nobody ever set is off (S35).
 */
export const resolveRoute = (
  activation: 'on' | 'off' | undefined,
  ref: string,
  routes: LoadedPack['routes'],
): Route => {
  if (activation !== 'on') {
    return {
      route: 'drop',
      why: activation === 'off' ? 'Sense is off for this pack' : 'Sense was never activated for this pack',
    };
  }
  const configured = routes.get(ref);
  if (configured !== undefined) return { route: configured, why: `packs[].routes says ${configured}` };
  return userFacing.has(ref)
    ? { route: 'inbox', why: 'the ref is user-facing' }
    : { route: 'silent', why: 'the ref is not user-facing' };
};
