import { z } from 'zod';
import { type DropReason, dropReasons } from '../../domain/announcement.ts';
import { plainText, strictShape } from '../../domain/strict-shape.ts';
import { listDrops as readDrops } from '../../store/list-drops.ts';
import { answer } from '../answer.ts';
import { endpoint } from '../endpoint.ts';
import { cursor, deliveryId, dropPage, limit, writeCursor } from '../shapes.ts';

export const listDrops = endpoint({
  summary: 'List what was dropped and why, newest first',
  description: 'Metadata only: the payload of what is dropped is not kept.',
  query: strictShape({
    source: plainText.optional(),
    delivery_id: deliveryId.optional(),
    pack: plainText.optional(),
    reason: z.enum(Object.keys(dropReasons) as [DropReason, ...DropReason[]]).optional(),
    limit: limit(1000, 100),
    cursor: cursor.optional(),
  }),
  answers: dropPage,
  codes: [],
  handle: async ({ pool }, { query }) => {
    const { delivery_id: delivery, cursor: before, limit: most, ...filter } = query;
    const found = await readDrops(pool, { ...filter, delivery, before, limit: most + 1 });
    const drops = found.slice(0, most);
    const last = drops.at(-1);
    return answer({
      drops,
      next_cursor: found.length > most && last !== undefined ? writeCursor(last.drop_id) : null,
    });
  },
});
