// Strings are matched only to be stepped over. Unrolled, so that a long string can't exhaust the matcher's stack.
const token = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|-?\d[\d.eE+-]*/g;

/**
 * Parses JSON so that no number changes silently: one that a double would alter (an id above 2^53, a long decimal,
 * 1e400) becomes a string of the very characters that were sent. All else is `JSON.parse`, `__proto__` included, which
 * stays an own property; of a doubled key the last one counts.
 * @throws SyntaxError where the text is not JSON.
 */
export const parseExact = (text: string): unknown =>
  JSON.parse(
    text.replace(token, (found) => (found.startsWith('"') || survives(found) ? found : `"${found}"`)),
  );

const survives = (literal: string): boolean => {
  // Not a JSON number (01, 1.2.3): left as it is, so that JSON.parse refuses it.
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(literal)) return true;
  const number = Number(literal);
  return Number.isFinite(number) && canonical(literal) === canonical(String(number));
};

/** Sign, significant digits and exponent of a decimal, so that 1.50, 15e-1 and 1.5 compare equal. */
const canonical = (decimal: string): string => {
  const [mantissa = '', exponent = '0'] = decimal.toLowerCase().split('e');
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
};
