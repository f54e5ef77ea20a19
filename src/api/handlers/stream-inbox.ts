import { z } from 'zod';
import { plainText, strictShape } from '../../domain/strict-shape.ts';
import { answerEvents } from '../answer.ts';
import { endpoint } from '../endpoint.ts';
import { watchInbox } from '../watch-inbox.ts';

export const streamInbox = endpoint({
  summary: 'Hear of new records of the inbox as they are committed (server-sent events)',
  description:
    'Each `record` event names one: `{ record_id, principal, pack_id, ref }`; the event id is the record id. A hint to ' +
    'lease or read, not the inbox itself: what was there before, or was missed, is not repeated. `: beat` every 15 s.',
  query: strictShape({
    principal: plainText.optional(),
    pack: plainText.optional(),
    ref: plainText.optional(),
  }),
  answers: z.string(),
  media: 'text/event-stream',
  codes: [],
  handle: async ({ pool, bell }, { query, caller, signal }) =>
    answerEvents(watchInbox({ pool, bell, scope: caller.scope, filter: query, signal })),
});
