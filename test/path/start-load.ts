import { setTimeout as sleep } from 'node:timers/promises';
import type { Product } from '../helpers/start-product.ts';

type Refusal = { status: number; code: string; retryAfter: string | null };

/**
 * Posts one new event after the other, in several lanes, until stopped, and remembers what was promised: the ids that
 * were answered 202. A connection that breaks promises nothing.
 */
export const startLoad = (
  product: Product,
  accounts: readonly string[],
  { lanes = 8, pauseMs = 0 }: { lanes?: number; pauseMs?: number } = {},
) => {
  const sent: string[] = [];
  const accepted: string[] = [];
  const refused: Refusal[] = [];
  let stopping = false;

  const lane = async (name: number): Promise<void> => {
    for (let n = 0; !stopping; n += 1) {
      const id = `load-${name}-${n}`;
      const account = accounts[(name + n) % accounts.length] ?? '';
      sent.push(id);
      try {
        const answer = await product.deliver.mail({ ref: 'new_item', id, account, data: { id: 'm1' } });
        if (answer.status === 202) accepted.push(id);
        else {
          const { error } = answer.json() as { error: { code: string } };
          refused.push({
            status: answer.status,
            code: error.code,
            retryAfter: answer.headers.get('retry-after'),
          });
        }
      } catch {
        // Nobody listens, or it died before it answered.
        await sleep(50);
      }
      if (pauseMs > 0) await sleep(pauseMs);
    }
  };
  const over = Promise.all(Array.from({ length: lanes }, (_, name) => lane(name)));

  return {
    sent: (): readonly string[] => [...sent],
    accepted: (): readonly string[] => [...accepted],
    refused: (): readonly Refusal[] => [...refused],
    async stop(): Promise<void> {
      stopping = true;
      await over;
    },
  };
};
