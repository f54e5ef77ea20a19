import type { BodyForm } from './scheme.ts';

/** The body with its characters beyond ASCII, and with `escaped-slash` its slashes, escaped as some vendors sign it. */
export const escapeBody = (form: BodyForm, raw: Buffer): Buffer => {
  const escaped = raw
    .toString('utf8')
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return Buffer.from(form === 'escaped-slash' ? escaped.replaceAll('/', '\\/') : escaped);
};
