import { readTime } from '../read-time.ts';
import type { SigningTime } from './scheme.ts';
import { replayWindowSeconds } from './scheme.ts';

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/;

/** Seconds since 1970; null where the text is no time of this unit. */
const toSeconds = (text: string, unit: SigningTime['unit']): number | null => {
  if (unit === 'iso') return iso.test(text) ? Math.floor(Date.parse(readTime(text) ?? '') / 1000) : null;
  if (unit === 'ms') return /^\d{10,15}$/.test(text) ? Math.floor(Number(text) / 1000) : null;
  return /^\d{1,12}$/.test(text) ? Number(text) : null;
};

const names = { s: 'in Unix seconds', ms: 'in Unix milliseconds', iso: 'an ISO 8601 time with its zone' };

/** Whether a signing time is one and near enough to our clock; if not, why. */
export const readSigningTime = (
  text: string,
  time: SigningTime,
  now: number,
): { ok: true } | { ok: false; outside: boolean; why: string } => {
  const seconds = toSeconds(text, time.unit);
  if (seconds === null || Number.isNaN(seconds))
    return { ok: false, outside: false, why: `The signing time is not ${names[time.unit ?? 's']}` };
  const window = time.window ?? replayWindowSeconds;
  const away = Math.floor(now / 1000) - seconds;
  if (Math.abs(away) <= window) return { ok: true };
  const when = `${Math.abs(away)} s ${away > 0 ? 'ago' : 'ahead of our clock'}`;
  return { ok: false, outside: true, why: `It was signed ${when}; ${window} s are allowed` };
};
