import { parseForm } from '../parse-form.ts';

const byCodeUnit = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/**
 * A form as Twilio signs it: name and value of every field by name, the values of a repeated one each once and sorted.
 * Null where it is no form. https://www.twilio.com/docs/usage/webhooks/webhooks-security
 */
export const sortForm = (raw: Buffer): string | null => {
  const fields = parseForm(raw.toString('utf8'));
  if (fields === null) return null;
  const values = new Map<string, Set<string>>();
  for (const [name, value] of fields) values.set(name, (values.get(name) ?? new Set()).add(value));
  return [...values.keys()]
    .sort(byCodeUnit)
    .flatMap((name) => [...(values.get(name) ?? [])].sort(byCodeUnit).map((value) => name + value))
    .join('');
};
