const decodePart = (part: string): string => decodeURIComponent(part.replaceAll('+', ' '));

/**
 * The fields of a form, in order; null where it is broken: bad escapes, or escapes that are not UTF-8.
 * URLSearchParams would put replacement characters there instead.
 */
export const parseForm = (form: string): (readonly [name: string, value: string])[] | null => {
  try {
    return form
      .split('&')
      .filter((field) => field !== '')
      .map((field) => {
        const equals = field.indexOf('=');
        const [name, value] = equals === -1 ? [field, ''] : [field.slice(0, equals), field.slice(equals + 1)];
        return [decodePart(name), decodePart(value)] as const;
      });
  } catch {
    return null;
  }
};
