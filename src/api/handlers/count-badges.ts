import { plainText, strictShape } from '../../domain/strict-shape.ts';
import { countUnread } from '../../store/count-unread.ts';
import { answer } from '../answer.ts';
import { endpoint } from '../endpoint.ts';
import { badgesShape } from '../shapes.ts';

export const countBadges = endpoint({
  summary: 'Count unread records: in the inbox and not acknowledged',
  query: strictShape({ principal: plainText.optional() }),
  answers: badgesShape,
  codes: [],
  handle: async ({ pool }, { query, caller }) => {
    const badges = new Map<string, { principal: string; unread: number; packs: Record<string, number> }>();
    for (const { principal, pack, unread } of await countUnread(pool, caller.scope, query.principal)) {
      const badge = badges.get(principal) ?? { principal, unread: 0, packs: {} };
      badge.unread += unread;
      badge.packs[pack] = unread;
      badges.set(principal, badge);
    }
    const list = [...badges.values()];
    return answer({ unread: list.reduce((sum, badge) => sum + badge.unread, 0), badges: list });
  },
});
