import type { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { safeText } from '../domain/safe-text.ts';
import { createLineSplitter } from './create-line-splitter.ts';
import { createRateGate } from './create-rate-gate.ts';

const maxLineBytes = 2048;
/** A process that says more than this is not read by anybody, and must not fill our log. */
const rate = { burst: 50, perMinute: 60 };

/** Puts what a process says on stderr into our log, line by line, bounded in length and number. Never slows it down. */
export const logStderr = (stream: Readable, log: Logger): void => {
  const splitter = createLineSplitter(maxLineBytes);
  const gate = createRateGate({ ...rate, clock: Date.now });
  const say = (lines: ReturnType<typeof splitter.push>): void => {
    for (const { bytes, whole } of lines) {
      const text = bytes.toString('utf8').trim();
      if (text === '' || !gate.pass()) continue;
      const unsaid = gate.takeHeld();
      log.info(
        {
          said: safeText(text, maxLineBytes),
          ...(whole ? {} : { cut: true }),
          ...(unsaid > 0 ? { unsaid } : {}),
        },
        'process.said',
      );
    }
  };
  stream.on('data', (chunk: Buffer) => say(splitter.push(chunk)));
  stream.on('error', () => undefined);
  stream.on('close', () => {
    say(splitter.end());
    const unsaid = gate.takeHeld();
    if (unsaid > 0) log.info({ unsaid }, 'process.said_too_much');
  });
};
