/** How a body carries its JSON: as it is, or as a form (its field `payload`, else its own fields). */
export type BodyFormat = 'json' | 'form';

/** What bodies a source takes: JSON; forms; JSON that is called text/plain; none at all; any, judged by who reads them. */
export type BodyKind = 'json' | 'form' | 'text' | 'empty' | 'any';

/**
 * What a content type says about the body; null where a source does not take it. JSON has no charset parameter
 * (RFC 8259, 11) and is UTF-8, so parameters are not looked at; a body that is not UTF-8 fails when it is decoded.
 * Without a content type the body is taken as JSON.
 */
export const bodyFormat = (
  contentType: string | undefined,
  takes: readonly BodyKind[],
): BodyFormat | null => {
  if (contentType === undefined || contentType === 'application/json') return 'json';
  const end = contentType.indexOf(';');
  const media = (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
  if (media === 'application/json' || /^application\/[a-z0-9!#$&^_.+-]+\+json$/.test(media)) return 'json';
  if (media === 'application/x-www-form-urlencoded' && takes.includes('form')) return 'form';
  if (takes.includes('any')) return 'json';
  return media === 'text/plain' && takes.includes('text') ? 'json' : null;
};
