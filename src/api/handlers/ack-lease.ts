import { strictShape } from '../../domain/strict-shape.ts';
import { ackLease as acknowledge } from '../../store/ack-lease.ts';
import { answer } from '../answer.ts';
import { checkHeld } from '../check-held.ts';
import { endpoint } from '../endpoint.ts';
import { heldShape, leaseBody } from '../shapes.ts';

export const ackLease = endpoint({
  summary: 'Acknowledge leased records: they leave the inbox',
  description:
    'Asking twice is the same as once. A lease that ran out still acknowledges what nobody else has leased since: the ' +
    'work is done, and refusing would have it done again.',
  body: strictShape(leaseBody),
  answers: heldShape('acked'),
  codes: ['LEASE_UNKNOWN'],
  handle: async ({ pool }, { body, caller }) => {
    const acked = await acknowledge(pool, caller.scope, body.lease_id, body.record_ids);
    return answer({ acked, not_held: checkHeld(acked, body.record_ids) });
  },
});
