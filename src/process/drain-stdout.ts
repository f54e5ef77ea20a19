import type { Readable } from 'node:stream';
import { createLineSplitter } from './create-line-splitter.ts';
import type { TakeLines } from './create-line-taker.ts';

/** How far reading has come; for telling when a pipe that somebody still holds is empty. */
export type Draining = {
  /** Resolves when the stream is over and its lines are taken. Never rejects. */
  over: Promise<void>;
  isOver(): boolean;
  /** Milliseconds for which we have been waiting for more, 0 while lines are being taken. */
  quietMs(): number;
  bytesRead(): number;
};

/**
 * Reads a process's stdout to its end, a piece at a time: nothing more is read while lines are on their way into the
 * queue, so the pipe fills and the process waits (back-pressure) instead of a buffer of ours growing.
 */
export const drainStdout = (
  stream: Readable,
  {
    maxLine,
    take,
    giveUp,
    onGivenUp,
  }: {
    maxLine: number;
    take: TakeLines;
    giveUp: AbortSignal;
    /** Lines that were read and could not be taken before `giveUp`. */
    onGivenUp: (lines: number) => void;
  },
): Draining => {
  const splitter = createLineSplitter(maxLine);
  let quietSince: number | null = Date.now();
  let isOver = false;
  let bytesRead = 0;

  const takeAll = async (lines: ReturnType<typeof splitter.push>): Promise<void> => {
    if (lines.length === 0) return;
    quietSince = null;
    if (!(await take(lines, giveUp))) onGivenUp(lines.length);
  };
  const run = async (): Promise<void> => {
    try {
      for await (const chunk of stream) {
        const bytes = chunk as Buffer;
        bytesRead += bytes.length;
        await takeAll(splitter.push(bytes));
        quietSince = Date.now();
      }
    } catch {
      // Destroyed by us, or the pipe broke: what was read still counts.
    }
    await takeAll(splitter.end());
    isOver = true;
  };
  const over = run();
  return {
    over,
    isOver: () => isOver,
    quietMs: () => (quietSince === null ? 0 : Date.now() - quietSince),
    bytesRead: () => bytesRead,
  };
};
