import { z } from 'zod';
import { CodedError } from '../../domain/errors.ts';
import { hashId } from '../../domain/hash-id.ts';
import { findDeadLetter } from '../../store/find-dead-letter.ts';
import { removeDeadLetter } from '../../store/remove-dead-letter.ts';
import { answer } from '../answer.ts';
import { endpoint } from '../endpoint.ts';
import { uuid, uuidParams } from '../shapes.ts';

export const replayDeadLetter = endpoint({
  summary: 'Put a dead letter into the queue again',
  description:
    'It is decided anew, with the directory as it is now. It leaves the list once it is in the queue; asked for twice, ' +
    'it is recorded once.',
  params: uuidParams,
  answers: z.object({ dead_letter_id: uuid, replayed: z.literal(true) }),
  codes: ['DEAD_LETTER_UNKNOWN', 'QUEUE_FULL', 'QUEUE_UNAVAILABLE'],
  handle: async ({ pool, replay, log }, { params, caller }) => {
    const announcement = await findDeadLetter(pool, params.id);
    if (announcement === null) throw new CodedError('DEAD_LETTER_UNKNOWN');
    // The letter's own id is the nonce. With it de-duplication does not take the replay for the event that the provider
    // may have delivered again since; being the same each time, two replays of one letter still are one event, also
    // where we die between the two statements.
    const eventHash = hashId(`${announcement.eventHash} replayed from ${params.id}`);
    await replay({ ...announcement, eventHash });
    await removeDeadLetter(pool, params.id);
    log.info({ token: caller.token, deadLetter: params.id }, 'dead_letter.replayed');
    return answer({ dead_letter_id: params.id, replayed: true });
  },
});
