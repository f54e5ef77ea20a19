import { percentile } from '../harness/percentile.ts';
import type { LoadOrder, LoadResult } from './load-orders.ts';
import { type Connection, openConnection } from './open-connection.ts';

/** After a refusal a connection keeps still this long, as a provider that backs off would. */
const refusedPauseMs = 50;

type Lane = { connection: Connection; sentAt: number };

/** Sends the prepared requests as ordered and counts the answers. @throws when a connection is lost or requests run out */
export const runLoad = async (order: LoadOrder, requests: readonly Buffer[]): Promise<LoadResult> => {
  const { port, connections, warmUpMs, windowMs, rate } = order;
  const idle: Lane[] = [];
  const answerMs: number[] = [];
  const statuses: Record<string, number> = {};
  let next = 0;
  let acceptedInAll = 0;
  let measuring = false;
  let over = false;
  let due = rate === null ? Number.POSITIVE_INFINITY : 0;
  let fail: (error: Error) => void = () => undefined;
  let exhausted: () => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const allAccepted = new Promise<void>((resolve) => {
    exhausted = resolve;
  });

  const sendDue = (): void => {
    while (!over && next < due && idle.length > 0) {
      const request = requests[next];
      if (request === undefined) {
        if (windowMs !== null)
          fail(new Error(`all ${requests.length} prepared requests were sent before the end`));
        return;
      }
      const lane = idle.pop();
      if (lane === undefined) return;
      next += 1;
      lane.sentAt = performance.now();
      lane.connection.send(request);
    }
  };
  const openLane = async (): Promise<Lane> => {
    const onAnswer = (status: number): void => {
      if (status === 202) acceptedInAll += 1;
      if (measuring) {
        statuses[status] = (statuses[status] ?? 0) + 1;
        if (status === 202) answerMs.push(performance.now() - lane.sentAt);
      }
      if (acceptedInAll === requests.length) exhausted();
      const free = (): void => {
        idle.push(lane);
        sendDue();
      };
      if (status === 202) free();
      else setTimeout(free, refusedPauseMs);
    };
    const connection = await openConnection(port, onAnswer, (why) => fail(new Error(why)));
    const lane = { connection, sentAt: 0 };
    return lane;
  };
  const lanes = await Promise.all(Array.from({ length: connections }, openLane));
  idle.push(...lanes);

  const started = performance.now();
  const pace = (): void => {
    if (rate !== null) due = ((performance.now() - started) / 1000) * rate;
    sendDue();
  };
  const pacer = setInterval(pace, 1);
  const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  try {
    pace();
    await Promise.race([sleep(warmUpMs), failed]);
    measuring = true;
    const from = Date.now();
    const cpuFrom = process.cpuUsage();
    await Promise.race([windowMs === null ? allAccepted : sleep(windowMs), failed]);
    measuring = false;
    const to = Date.now();
    const cpu = process.cpuUsage(cpuFrom);
    over = true;
    clearInterval(pacer);
    // Those under way are answered before the connections end, so that what was accepted is known to the last.
    for (const deadline = Date.now() + 5000; idle.length < lanes.length && Date.now() < deadline; )
      await sleep(10);
    return {
      from,
      to,
      accepted: answerMs.length,
      acceptedInAll,
      statuses,
      answerMs: { p50: percentile(answerMs, 0.5), p99: percentile(answerMs, 0.99) },
      cpu: (cpu.user + cpu.system) / 1000 / (to - from),
    };
  } finally {
    clearInterval(pacer);
    for (const { connection } of lanes) connection.close();
  }
};
