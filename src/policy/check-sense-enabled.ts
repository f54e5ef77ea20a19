import type { BindingFact, Drop } from '../domain/decision.ts';

/**
 * Whether the Binding's Principal lets this pack announce at all: the Principal is known, an end user reaches a
 * mothership Binding only with an elevation (S36), and `sense.enable` is granted for Principal and pack (S11).
 * No other capability counts (S17, S27).
 */
export const checkSenseEnabled = (binding: BindingFact): Drop | null => {
  if (binding.principal === null) {
    return no(binding, 'binding_unknown', `the Principal of Binding "${binding.id}" is not in the directory`);
  }
  if (binding.mode === 'mothership' && binding.principal.kind !== 'service' && !binding.elevated) {
    return no(
      binding,
      'elevation_required',
      `"${binding.principal.id}" has no elevation for mothership Binding "${binding.id}"`,
    );
  }
  if (!binding.senseEnabled) {
    return no(
      binding,
      'sense_not_granted',
      `"${binding.principal.id}" has not granted sense.enable to pack "${binding.pack}"`,
    );
  }
  return null;
};

const no = (binding: BindingFact, reason: Drop['reason'], why: string): Drop => ({
  kind: 'drop',
  reason,
  rule: 'check-sense-enabled',
  why,
  binding: binding.id,
});
