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

const written = (batch: Parameters<typeof encodeBatch>[0]) => JSON.stringify(encodeBatch(batch));

describe('encodeBatch', () => {
  it('G9: what is encoded comes out the same, whatever characters stand in it', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ event: anyText, delivery: anyText, data: anyText })), (parts) => {
        const batch = parts.map(({ event, ...more }) => anAnnouncement(event, more));
        expect(decodeBatch(written(batch))).toEqual(batch);
      }),
    );
  });

  it('yields JSON that jsonb takes: neither NUL nor a lone surrogate, also not as an escape', () => {
    fc.assert(
      fc.property(anyText, anyText, anyText, anyText, (event, data, account, detail) => {
        const text = written([
          anAnnouncement(event, {
            data,
            accounts: [account],
            refusal: { reason: 'event_unmapped', rule: 'mapping', detail },
          }),
        ]);
        expect(text).not.toMatch(/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i);
      }),
    );
  });

  it('keeps a refusal and an empty payload', () => {
    const batch = [
      anAnnouncement(1, { data: '', refusal: { reason: 'event_unmapped', rule: 'mapping', detail: 'x' } }),
      anAnnouncement(2),
    ];
    expect(decodeBatch(written(batch))).toEqual(batch);
  });
});

describe('decodeBatch and readBatch', () => {
  const whole = written([anAnnouncement(1)]);
  it.each([
    '',
    'x',
    'null',
    '[]',
    '{"v":1}',
    '{"v":1,"announcements":[1]}',
    '{"v":1,"announcements":["x"]}',
    '{"v":1,"announcements":[{"source":"s"}]}',
    whole.replace('"v":1', '"v":2'),
    whole.replace('"data":', '"atad":'),
    whole.slice(0, -1),
  ])('refuses %j', (text) => {
    expect(decodeBatch(text)).toBeNull();
  });

  it('never throws on job data of any kind, and says that it must be kept', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.json()), (data) => {
        const read = readBatch({ id: 'job', data, doomed: null });
        expect(read).toMatchObject({ batch: { id: 'job', announcements: [] }, keep: true });
      }),
    );
  });
});
