/** How a body carries its JSON: as it is, in the form field `payload`, or as the form's own fields. */
export type BodyFormat = 'json' | 'form';

/**
 * What a content type says about the body; null where a source does not take it. JSON has no charset parameter
 * (RFC 8259, 11) and is UTF-8, so parameters are not looked at; a body that is not UTF-8 fails when it is decoded.
 * Without a content type the body is taken as JSON.
 */
export const bodyFormat = (contentType: string | undefined, takesForms: boolean): BodyFormat | null => {
  if (contentType === undefined || contentType === 'application/json') return 'json';
  const end = contentType.indexOf(';');
  const media = (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
  if (media === 'application/json' || /^application\/[a-z0-9!#$&^_.+-]+\+json$/.test(media)) return 'json';
  if (takesForms && media === 'application/x-www-form-urlencoded') return 'form';
  return null;
};
