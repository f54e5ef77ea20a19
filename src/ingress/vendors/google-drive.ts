import { channelSample } from './channel-sample.ts';
import { googleCalendar } from './google-calendar.ts';
import type { VendorProfile } from './profile.ts';

const file = 'https://www.googleapis.com/drive/v3/files/example?alt=json';

/** Google Drive's push channels: https://developers.google.com/workspace/drive/api/guides/push */
export const googleDrive: VendorProfile = {
  ...googleCalendar,
  vendor: 'google-drive',
  about: {
    ...googleCalendar.about,
    name: 'Google Drive push channels',
    docs: 'https://developers.google.com/workspace/drive/api/guides/push',
    setUp: 'files.watch or changes.watch with the URL as `address`, a `token`, and an `id` for the channel.',
    notes: [
      'An event says only what kind of change there was, as headers: read the rest with changes.list or files.get.',
      ...(googleCalendar.about.notes ?? []).slice(1),
    ],
    unconfirmed: [
      'For how long a channel lives at most (changes.watch 7 days, files.watch 1 day).',
      'That 500, 502, 503 and 504 are retried and all else is final.',
    ],
  },
  refs: {
    change: 'sync.required',
    update: 'sync.required',
    add: 'file.created',
    untrash: 'file.created',
    trash: 'file.deleted',
    remove: 'file.deleted',
  },
  samples: {
    change: channelSample('change', 'https://www.googleapis.com/drive/v3/changes?pageToken=1&alt=json'),
    update: channelSample('update', file),
    trash: channelSample('trash', file),
  },
};
