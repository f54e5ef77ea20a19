import { strictShape } from '../../domain/strict-shape.ts';
import { listDeadLetters as readDeadLetters } from '../../store/list-dead-letters.ts';
import { answer } from '../answer.ts';
import { endpoint } from '../endpoint.ts';
import { cursor, deadLetterPage, limit, writeCursor } from '../shapes.ts';

export const listDeadLetters = endpoint({
  summary: 'List announcements that could not be recorded for a fault in themselves, newest first',
  query: strictShape({ limit: limit(1000, 100), cursor: cursor.optional() }),
  answers: deadLetterPage,
  codes: [],
  handle: async ({ pool }, { query }) => {
    const found = await readDeadLetters(pool, { before: query.cursor, limit: query.limit + 1 });
    const letters = found.slice(0, query.limit);
    const last = letters.at(-1);
    return answer({
      dead_letters: letters,
      next_cursor: found.length > query.limit && last !== undefined ? writeCursor(last.dead_letter_id) : null,
    });
  },
});
