import { strictShape } from '../../domain/strict-shape.ts';
import { releaseLease as release } from '../../store/release-lease.ts';
import { answer } from '../answer.ts';
import { checkHeld } from '../check-held.ts';
import { endpoint } from '../endpoint.ts';
import { heldShape, leaseBody } from '../shapes.ts';

export const releaseLease = endpoint({
  summary: 'Give leased records back to the inbox, at once',
  body: strictShape(leaseBody),
  answers: heldShape('released'),
  codes: ['LEASE_UNKNOWN'],
  handle: async ({ pool }, { body, caller }) => {
    const released = await release(pool, caller.scope, body.lease_id, body.record_ids);
    return answer({ released, not_held: checkHeld(released, body.record_ids) });
  },
});
