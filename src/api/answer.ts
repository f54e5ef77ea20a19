/** What a handler answers with. It knows nothing of the HTTP library. */
export type Answer =
  | { kind: 'value'; value: object }
  /** JSON as text, sent as it is: payloads in it are the very characters that were sent (G9). */
  | { kind: 'text'; json: string; media: string; headers: Readonly<Record<string, string>> }
  /** Server-sent events, each written whole; ends when the iteration does. */
  | { kind: 'events'; events: AsyncIterable<string> };

export const answer = (value: object): Answer => ({ kind: 'value', value });
export const answerText = (
  json: string,
  media = 'application/json',
  headers: Readonly<Record<string, string>> = {},
): Answer => ({ kind: 'text', json, media, headers });
export const answerEvents = (events: AsyncIterable<string>): Answer => ({ kind: 'events', events });
