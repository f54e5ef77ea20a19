import type { LoadMessage, LoadOrder } from './load-orders.ts';
import { runLoad } from './run-load.ts';
import { signRequests } from './sign-requests.ts';

// The load's own process: signs first, says it is ready, runs when the harness says go, and ends.
const tell = (message: LoadMessage): void => {
  process.send?.(message);
};
process.once('message', (order: LoadOrder) => {
  const requests = signRequests({ ...order, count: order.prepare });
  process.once('message', async () => {
    try {
      tell({ kind: 'done', result: await runLoad(order, requests) });
    } catch (error) {
      tell({ kind: 'failed', why: error instanceof Error ? error.message : String(error) });
    }
    process.disconnect();
  });
  tell({ kind: 'ready' });
});
