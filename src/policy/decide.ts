import type { Announcement } from '../domain/announcement.ts';
import type { BindingFact, Decision, Drop, Facts } from '../domain/decision.ts';
import type { LoadedPack, Packs, PolicyRow } from '../domain/pack.ts';
import { attribute } from './attribute.ts';
import { checkSenseEnabled } from './check-sense-enabled.ts';
import { resolveRoute } from './resolve-route.ts';
import { validateRef } from './validate-ref.ts';

/**
 * What becomes of one announcement: one decision for every Binding that matches it, in the protocol's order (S09):
 * the ref is declared → `sense.enable` → whose and where → route. Pure: no I/O, no clock, no randomness, so the same
 * inputs give the same decisions for ever. A fact that is missing means no (S35).
 */
export const decide = (announcement: Announcement, facts: Facts, packs: Packs): readonly Decision[] => {
  if (announcement.refusal !== undefined) {
    const { reason, rule, detail } = announcement.refusal;
    return [{ kind: 'drop', reason, rule, why: detail, binding: null }];
  }

  const row = validateRef(announcement, packs);
  if ('kind' in row) return [row];

  const mine = facts.bindings.filter((binding) => matches(binding, announcement));
  if (mine.length === 0) return [noBinding(announcement)];

  return mine.map((binding) =>
    decideFor(announcement, binding, row, facts.activation, packs.get(announcement.pack)),
  );
};

const decideFor = (
  announcement: Announcement,
  binding: BindingFact,
  row: PolicyRow,
  activation: Facts['activation'],
  loaded: LoadedPack | undefined,
): Decision => {
  const refused = checkSenseEnabled(binding);
  if (refused !== null) return refused;

  const attribution = attribute(announcement, binding, row);
  if ('kind' in attribution) return attribution;

  const { route, why } = resolveRoute(activation, announcement.ref, loaded?.routes ?? new Map());
  if (route === 'drop')
    return { kind: 'drop', reason: 'sense_off', rule: 'resolve-route', why, binding: binding.id };
  return { kind: 'record', route, rule: 'resolve-route', why, attribution };
};

/** The facts may hold more than what matches; a Binding of another pack never does. */
const matches = (binding: BindingFact, announcement: Announcement): boolean =>
  binding.pack === announcement.pack &&
  (announcement.binding !== null
    ? binding.id === announcement.binding
    : binding.account !== null && announcement.accounts.includes(binding.account));

const noBinding = (announcement: Announcement): Drop => ({
  kind: 'drop',
  reason: 'binding_unknown',
  rule: 'match-binding',
  why:
    announcement.binding !== null
      ? `Binding "${announcement.binding}" of the source is not in the directory for pack "${announcement.pack}"`
      : announcement.accounts.length === 0
        ? 'the delivery names no account, and the source fixes no Binding'
        : `no Binding of pack "${announcement.pack}" has an account among: ${announcement.accounts.join(', ')}`,
  binding: null,
});
