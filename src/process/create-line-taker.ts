import type { Logger } from 'pino';
import type { Announcement } from '../domain/announcement.ts';
import type { ErrorCode } from '../domain/errors.ts';
import { hashId } from '../domain/hash-id.ts';
import type { Line } from './create-line-splitter.ts';
import type { RateGate } from './create-rate-gate.ts';
import { holdToWorkspace } from './hold-to-workspace.ts';

/** What a line says, or which rule it breaks; `detail` repeats nothing of it. */
export type ReadLine = (
  bytes: Buffer,
  delivery: string,
  receivedAt: string,
) => { ok: true; announcements: readonly Announcement[] } | { ok: false; code: ErrorCode; detail: string };

/** One line as metrics count it: a delivery like any other, with the status that a request would have had. */
export type LineFact = { source: string; status: number; code: string | null };

type TakerNeeds = {
  source: string;
  pack: string;
  /** Names this run in delivery ids. */
  run: string;
  maxLine: number;
  read: ReadLine;
  /** Whether a trigger's land is `local`. */
  isLocal: (ref: string) => boolean;
  /** Resolves when the announcements are in the queue, however long that takes; false where `giveUp` was aborted first. */
  deliver: (announcements: readonly Announcement[], giveUp: AbortSignal) => Promise<boolean>;
  /** Bounds how many bad lines are logged and explained one by one. */
  faults: RateGate;
  onLine: (fact: LineFact) => void;
  log: Logger;
};

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

const isBlank = (bytes: Buffer): boolean => {
  const text = bytes.subarray(0, 3).equals(byteOrderMark) ? bytes.subarray(3) : bytes;
  return text.every((byte) => byte === 0x20 || byte === 0x09 || byte === 0x0d);
};

/**
 * Makes what takes the lines of one run to the queue, in order, and returns when they are in it. A line that is no
 * announcement is counted and rides along as a drop that can be explained by its delivery id; what it held is nowhere
 * repeated.
 */
export const createLineTaker = (needs: TakerNeeds) => {
  const { source, pack, run, maxLine, read, isLocal, deliver, faults, onLine, log } = needs;

  const refuse = ({ no, bytes, whole }: Line, code: ErrorCode, detail: string): Announcement[] => {
    onLine({ source, status: 400, code });
    if (!faults.pass()) return [];
    const delivery = `${source}-${run}-${no}`;
    const unsaid = faults.takeHeld();
    log.warn(
      { delivery, code, bytes: bytes.length, whole, ...(unsaid > 0 ? { unsaid } : {}) },
      'line.refused',
    );
    return [
      {
        source,
        delivery,
        pack,
        ref: 'unreadable',
        event: delivery,
        eventHash: hashId(delivery),
        accounts: [],
        binding: null,
        workspace: null,
        occurredAt: null,
        receivedAt: new Date().toISOString(),
        state: null,
        data: 'null',
        refusal: {
          reason: 'announcement_invalid',
          rule: 'read-line',
          detail: `Line ${no} of run ${run}: ${detail}`,
        },
      },
    ];
  };

  const take = async (line: Line): Promise<readonly Announcement[]> => {
    if (!line.whole) return refuse(line, 'BODY_TOO_LARGE', `it is longer than ${maxLine} bytes`);
    const found = read(line.bytes, `${source}-${run}-${line.no}`, new Date().toISOString());
    if (!found.ok) return refuse(line, found.code, found.detail);
    return Promise.all(
      found.announcements.map((announcement) =>
        isLocal(announcement.ref) ? holdToWorkspace(announcement) : announcement,
      ),
    );
  };

  /** @returns whether they are in the queue; false only after `giveUp` */
  return async (lines: readonly Line[], giveUp: AbortSignal): Promise<boolean> => {
    const announcements: Announcement[] = [];
    let good = 0;
    for (const line of lines) {
      if (line.whole && isBlank(line.bytes)) continue;
      const taken = await take(line);
      if (taken.some(({ refusal }) => refusal?.rule !== 'read-line')) good += 1;
      announcements.push(...taken);
    }
    if (announcements.length > 0 && !(await deliver(announcements, giveUp))) return false;
    for (let line = 0; line < good; line += 1) onLine({ source, status: 202, code: null });
    return true;
  };
};

export type TakeLines = ReturnType<typeof createLineTaker>;
