import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBatch } from '../../src/queue/decode-batch.ts';
import { encodeBatch } from '../../src/queue/encode-batch.ts';
import { readBatch } from '../../src/queue/read-batch.ts';
import { anAnnouncement } from './an-announcement.ts';

// Any UTF-16 at all: NUL, lone surrogates, line ends of every kind.
const anyText = fc.string({
  unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
});

describe('encodeBatch', () => {
  it('G9: what is encoded comes out the same, whatever characters stand in it', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ event: anyText, delivery: anyText, data: anyText })), (parts) => {
        const batch = parts.map(({ event, ...more }) => anAnnouncement(event, more));
        expect(decodeBatch(encodeBatch(batch))).toEqual(batch);
      }),
    );
  });

  it('yields text that jsonb and UTF-8 take: no NUL and no lone surrogate, escaped or not', () => {
    fc.assert(
      fc.property(anyText, anyText, (event, data) => {
        const text = encodeBatch([anAnnouncement(event, { data })]);
        expect(text.isWellFormed()).toBe(true);
        expect(text).not.toContain('\0');
        // Within the job's own JSON a backslash is doubled, so that Postgres reads no \u0000 there.
        expect(JSON.stringify(text)).not.toMatch(/(?<!\\)(\\\\)*\\u0000/);
      }),
    );
  });

  it('keeps a refusal and an empty payload', () => {
    const batch = [
      anAnnouncement(1, { data: '', refusal: { reason: 'event_unmapped', rule: 'mapping', detail: 'x' } }),
      anAnnouncement(2),
    ];
    expect(decodeBatch(encodeBatch(batch))).toEqual(batch);
  });
});

describe('decodeBatch and readBatch', () => {
  it.each([
    '',
    'x',
    '\n',
    '[]',
    '{}\n',
    '[1]\n',
    '[{"source":"s"}]\n',
    `${encodeBatch([anAnnouncement(1)])} `,
    encodeBatch([anAnnouncement(1)]).slice(0, -1),
    encodeBatch([anAnnouncement(1)]).replace('"n":', '"n":-'),
  ])('refuses %j', (text) => {
    expect(decodeBatch(text)).toBeNull();
  });

  it('never throws on job data of any kind, and says that it must be kept', () => {
    fc.assert(
      fc.property(
        fc.oneof(anyText, fc.json(), fc.constantFrom('null', '[]', '{"v":2,"batch":"[]\\n"}')),
        (data) => {
          const read = readBatch({ id: 'job', token: 't', data, doomed: null, json: {} as never });
          expect(read).toMatchObject({ batch: { id: 'job', announcements: [] }, keep: true });
        },
      ),
    );
  });
});
