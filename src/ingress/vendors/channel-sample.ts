import type { Sample } from './profile.ts';

/** A notice of a Google channel (Calendar, Drive): all of it in headers, the body is empty. */
export const channelSample = (state: string, resource: string): Sample => ({
  headers: {
    'x-goog-channel-id': '00000000-0000-4000-8000-000000000001',
    'x-goog-message-number': '12',
    'x-goog-resource-id': 'example-resource',
    'x-goog-resource-uri': resource,
    'x-goog-resource-state': state,
  },
  body: {},
});
