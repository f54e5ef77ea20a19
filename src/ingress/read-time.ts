const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i;
const spaced = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d(?::\d\d(?:\.\d+)?)?) ?(UTC|GMT|Z|[+-]\d\d:?\d\d)?$/i;
const dateOnly = /^\d{4}-\d\d-\d\d$/;
const mailDate = /^([a-z]{3}, ?)?\d{1,2} [a-z]{3} \d{4} \d\d:\d\d(:\d\d)? ?(UTC|GMT|Z|[+-]\d{4})?$/i;

/** Seconds, milliseconds, microseconds or nanoseconds since 1970, told apart by size: 1e11 s is the year 5138. */
const fromNumber = (value: number): number => {
  const size = Math.abs(value);
  if (size < 1e11) return value * 1000;
  if (size < 1e14) return value;
  return size < 1e17 ? value / 1000 : value / 1e6;
};

/** A time without zone is taken as UTC: this machine's own zone says nothing about the sender. */
const fromText = (text: string): number => {
  const form = rfc3339.exec(text);
  if (form !== null)
    return Date.parse(
      form[3] === undefined ? `${text}Z` : text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2').toUpperCase(),
    );
  if (/^-?\d{1,19}(\.\d{1,9})?$/.test(text)) return fromNumber(Number(text));
  const parts = spaced.exec(text);
  const zone = parts?.[3]?.replace(/utc|gmt/i, 'Z') ?? 'Z';
  if (parts !== null)
    return Date.parse(`${parts[1]}T${parts[2]}${zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')}`);
  if (dateOnly.test(text)) return Date.parse(text);
  const mail = mailDate.exec(text);
  if (mail !== null) return Date.parse(mail[3] === undefined ? `${text} GMT` : text);
  return Number.NaN;
};

/**
 * The time an event says it happened, as RFC 3339 in UTC; null where it says none that can be read. It is shown and
 * never judged, so an unreadable one is no reason to refuse the event.
 */
export const readTime = (value: unknown): string | null => {
  const ms =
    typeof value === 'number'
      ? fromNumber(value)
      : typeof value === 'string'
        ? fromText(value.trim())
        : Number.NaN;
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return null;
  // RFC 3339 and Postgres have no year 0 and none of five digits.
  const year = date.getUTCFullYear();
  return year >= 1 && year <= 9999 ? date.toISOString() : null;
};
