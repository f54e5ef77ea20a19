const decodePart = (part: string): string => decodeURIComponent(part.replaceAll('+', ' '));

/**
 * The JSON text that a form carries: that of its field `payload` (GitHub, Slack interactivity), else its fields as one
 * JSON object of strings (Slack commands). Null where the form is broken: bad escapes, escapes that are not UTF-8, or
 * two payloads. URLSearchParams would put replacement characters there instead.
 */
export const readForm = (form: string): string | null => {
  try {
    const fields = form
      .split('&')
      .filter((field) => field !== '')
      .map((field) => {
        const equals = field.indexOf('=');
        const [name, value] = equals === -1 ? [field, ''] : [field.slice(0, equals), field.slice(equals + 1)];
        return [decodePart(name), decodePart(value)] as const;
      });
    const payloads = fields.filter(([name]) => name === 'payload');
    if (payloads.length > 1) return null;
    const payload = payloads[0];
    if (payload !== undefined) return payload[1];
    return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
  } catch {
    return null;
  }
};
