import { z } from 'zod';
import { wakeStates } from '../../domain/execute.ts';
import { strictShape } from '../../domain/strict-shape.ts';
import { listWakes as readWakes } from '../../store/list-wakes.ts';
import { answer } from '../answer.ts';
import { endpoint } from '../endpoint.ts';
import { cursor, limit, uuid, wakePage, writeCursor } from '../shapes.ts';

export const listWakes = endpoint({
  summary: 'List wakes and what became of their steps, newest first',
  description: 'Of one record: also the wake that it was coalesced into.',
  query: strictShape({
    record_id: uuid.optional(),
    state: z.enum(wakeStates).optional(),
    limit: limit(200, 50),
    cursor: cursor.optional(),
  }),
  answers: wakePage,
  codes: [],
  handle: async ({ pool }, { query }) => {
    const { record_id: recordId, state, cursor: before, limit: most } = query;
    const found = await readWakes(pool, { recordId, state, before, limit: most + 1 });
    const wakes = found.slice(0, most);
    const last = wakes.at(-1);
    return answer({
      wakes,
      next_cursor: found.length > most && last !== undefined ? writeCursor(last.wake_id) : null,
    });
  },
});
