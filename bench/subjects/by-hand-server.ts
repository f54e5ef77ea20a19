import { createReceiver } from './create-receiver.ts';
import { type EventJob, type MailEvent, openQueue } from './open-by-hand-queue.ts';

// (b) By hand, the receiving half: one job per event, the event's id as the job's.
const queue = openQueue<EventJob>('events');
const app = createReceiver(process.env.MAIL_SECRET ?? '', async (body, receivedAt) => {
  const event = body as MailEvent;
  await queue.add('event', { event, receivedAt: receivedAt.toISOString() }, { jobId: event.id });
});
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
await queue.waitUntilReady();
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
