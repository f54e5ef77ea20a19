import { expect, test } from 'vitest';
import { runVector } from './run-vector.ts';
import { sign } from './sign-as-vendor.ts';

const now = 1_750_000_000;

test('dropbox: a notice of the same bytes is another event in another delivery, and one event within it', async () => {
  const body = '{"list_folder":{"accounts":["dbid:one","dbid:two","dbid:one"]}}';
  const signed = sign('dropbox', 'secret', { body });
  const deliver = async () => (await runVector('dropbox', signed)).announcements;
  const [first, second] = [await deliver(), await deliver()];
  const hashes = (list: typeof first) => list.map(({ eventHash }) => eventHash);
  expect(new Set(hashes(first)).size).toBe(2);
  expect(first[0]?.eventHash).toBe(first[2]?.eventHash);
  for (const hash of hashes(second)) expect(hashes(first)).not.toContain(hash);
});

test('google channels: the data is what the headers say, never the token, whatever the body is', async () => {
  for (const body of ['', '{}', '{"kind":"drive#changes","x-goog-channel-token":"other"}']) {
    const { announcements } = await runVector('google-drive', {
      title: '',
      secrets: ['token-of-the-channel'],
      url: 'https://hooks.example/ingress/source',
      headers: {
        'x-goog-channel-token': 'token-of-the-channel',
        'x-goog-channel-id': 'c"1',
        'x-goog-message-number': '7',
        'x-goog-resource-state': 'update',
        'x-goog-changed': 'content,parents',
      },
      body,
      now,
      expect: [],
    });
    expect(announcements.map(({ ref, data, event }) => [ref, JSON.parse(data), event])).toEqual([
      [
        'sync.required',
        {
          'x-goog-channel-id': 'c"1',
          'x-goog-message-number': '7',
          'x-goog-resource-state': 'update',
          'x-goog-changed': 'content,parents',
        },
        'c"1:7',
      ],
    ]);
  }
});
