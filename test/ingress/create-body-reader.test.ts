import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CodedError } from '../../src/domain/errors.ts';
import { createBodyReader } from '../../src/ingress/create-body-reader.ts';

type Read = { stream: PassThrough; outcome: Promise<string> };

describe('unfinished bodies', () => {
  let reader: ReturnType<typeof createBodyReader>;
  beforeEach(() => {
    reader = createBodyReader({ deadlineMs: 60_000, maxHeld: 100 });
  });
  afterEach(() => reader.close());

  const begin = (limit = 1_000): Read => {
    const stream = new PassThrough();
    const outcome = new Promise<string>((resolve) => {
      reader.read(stream, limit, (error: CodedError | null, bytes) =>
        resolve(error === null ? String(bytes) : error.code),
      );
    });
    return { stream, outcome };
  };
  const settled = (read: Read) =>
    Promise.race([read.outcome, new Promise((next) => setTimeout(next, 50, 'open'))]);

  test('together hold no more than their bound: the oldest gives way, and one that just came is read', async () => {
    const slow = [begin(), begin(), begin()];
    for (const { stream } of slow) stream.write('x'.repeat(30));
    expect(await settled(slow[0] ?? begin())).toBe('open');
    const quick = begin();
    quick.stream.end('y'.repeat(20));
    expect(await quick.outcome).toBe('y'.repeat(20));
    expect(await Promise.all(slow.map(settled))).toEqual(['REQUEST_TIMEOUT', 'open', 'open']);
    expect(reader.held()).toBe(60);
  });

  test('that end in any way hold nothing any more', async () => {
    const [whole, large, broken] = [begin(), begin(5), begin()];
    whole.stream.end('abc');
    large.stream.write('abcdef');
    broken.stream.write('abc');
    broken.stream.destroy(new Error('aborted'));
    expect(await Promise.all([whole, large, broken].map(({ outcome }) => outcome))).toEqual([
      'abc',
      'BODY_TOO_LARGE',
      'REQUEST_INVALID',
    ]);
    large.stream.write('more');
    await new Promise((next) => setImmediate(next));
    expect(reader.held()).toBe(0);
  });
});
