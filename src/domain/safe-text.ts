/**
 * Text that Postgres, logs and terminals take: NUL, other control characters and lone surrogates become U+FFFD, and it
 * is cut at `max` UTF-16 units without splitting a character. What must be compared exactly is hashed before this.
 */
export const safeText = (text: string, max = 512): string => {
  const whole = text.toWellFormed().replace(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd');
  if (whole.length <= max) return whole;
  const cut = whole.slice(0, max - 1);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
};
