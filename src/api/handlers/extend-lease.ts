import { z } from 'zod';
import { strictShape } from '../../domain/strict-shape.ts';
import { extendLease as extend } from '../../store/extend-lease.ts';
import { answer } from '../answer.ts';
import { checkHeld } from '../check-held.ts';
import { endpoint } from '../endpoint.ts';
import { heldShape, leaseBody } from '../shapes.ts';

export const extendLease = endpoint({
  summary: 'Let a lease run longer',
  description:
    'From now on. A lease that ran out is taken up again where nobody else has leased its records since.',
  body: strictShape({ ...leaseBody, lease_seconds: z.int().min(1).max(3600).default(60) }),
  answers: heldShape('extended').extend({ leased_until: z.iso.datetime().nullable() }),
  codes: ['LEASE_UNKNOWN'],
  handle: async ({ pool }, { body, caller }) => {
    const { recordIds, leasedUntil } = await extend(
      pool,
      caller.scope,
      body.lease_id,
      body.record_ids,
      body.lease_seconds,
    );
    const notHeld = checkHeld(recordIds, body.record_ids);
    return answer({
      extended: recordIds,
      not_held: notHeld,
      leased_until: leasedUntil?.toISOString() ?? null,
    });
  },
});
