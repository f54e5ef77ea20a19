import { z } from 'zod';
import { plainText, strictShape } from '../../domain/strict-shape.ts';
import { listRecords as readRecords } from '../../store/list-records.ts';
import { answerRecords } from '../answer-records.ts';
import { cloudEventBatch, manyEvents } from '../cloud-event.ts';
import { endpoint } from '../endpoint.ts';
import { cursor, deliveryId, limit, recordPage, writeCursor } from '../shapes.ts';

export const listRecords = endpoint({
  summary: 'Browse records, newest first',
  description:
    'For looking around, not for working through: use the inbox for that. A `brain` record is not shown before its ' +
    'Principal is a member of its project. As CloudEvents, the next cursor is the header `Hcp-Next-Cursor`.',
  query: strictShape({
    delivery_id: deliveryId.optional(),
    source: plainText.optional(),
    principal: plainText.optional(),
    pack: plainText.optional(),
    ref: plainText.optional(),
    route: z.enum(['inbox', 'silent']).optional(),
    limit: limit(200, 50),
    cursor: cursor.optional(),
  }),
  answers: recordPage,
  forms: [{ media: manyEvents, answers: cloudEventBatch }],
  codes: [],
  handle: async ({ pool }, { query, caller, media }) => {
    const { delivery_id: delivery, cursor: before, ...filter } = query;
    const { records, more } = await readRecords(pool, caller.scope, { ...filter, delivery, before });
    const last = records.at(-1);
    const next = more && last !== undefined ? writeCursor(last.head.record_id) : null;
    return answerRecords(media, records, { next_cursor: next });
  },
});
