import type { VendorProfile } from '../ingress/vendors/profile.ts';

/** Every header that a profile reads, in lower case: where a proof, an id or a name stands. */
export const listVendorHeaders = ({
  proof,
  deliveryId,
  eventId,
  event,
  occurredAt,
  accounts,
}: VendorProfile): string[] => {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      if (key === 'header' && typeof member === 'string') names.add(member);
      else if (key === 'headers' && member instanceof RegExp) names.add(member.source);
      else visit(member);
    }
  };
  for (const part of [proof, deliveryId, eventId, event, occurredAt, accounts]) visit(part);
  return [...names];
};
