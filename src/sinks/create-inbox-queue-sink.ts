import type { SurfacedRecord } from '../store/read-surfacings.ts';
import type { Sink } from './sink.ts';
import { surfacingId } from './surfacing-id.ts';

/** The queue that a product reads (`sinks.inbox_queue`); adding an id that is there already must change nothing. */
export type InboxQueue = { add(jobs: readonly { id: string; data: SurfacedRecord }[]): Promise<void> };

/** One job per record, with its id and attribution; who takes the job reads the payload under its own token. */
export const createInboxQueueSink = (queue: InboxQueue): Sink => ({
  name: 'inbox_queue',
  async surface(records) {
    await queue.add(records.map((data) => ({ id: surfacingId(data.record_id, 'inbox_queue'), data })));
  },
});
