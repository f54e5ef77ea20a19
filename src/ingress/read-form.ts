import { parseForm } from './parse-form.ts';

/**
 * The JSON text that a form carries: that of its field `payload` (GitHub, Slack interactivity), else its fields as one
 * JSON object of strings (Slack commands, Twilio). Null where the form is broken or holds two payloads.
 */
export const readForm = (form: string): string | null => {
  const fields = parseForm(form);
  if (fields === null) return null;
  const payloads = fields.filter(([name]) => name === 'payload');
  if (payloads.length > 1) return null;
  const payload = payloads[0];
  if (payload !== undefined) return payload[1];
  return `{${fields.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;
};
