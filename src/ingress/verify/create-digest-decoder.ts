const patterns = {
  hex: (bytes: number) => new RegExp(`^[0-9a-fA-F]{${bytes * 2}}$`),
  base64: (bytes: number) => {
    const padding = (3 - (bytes % 3)) % 3;
    return new RegExp(`^[A-Za-z0-9+/]{${Math.ceil(bytes / 3) * 4 - padding}}={${padding}}$`);
  },
};
/** DER has no fixed length: at most 72 bytes for P-256. */
const derBase64 = /^(?:[A-Za-z0-9+/]{4}){2,24}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Makes a decoder for signatures of exactly `bytes` bytes, or of DER's length; null for all else. The text is checked
 * first, because Buffer's decoders stop silently at the first character they do not know.
 */
export const createDigestDecoder = (encoding: 'hex' | 'base64', bytes: number | 'der') => {
  const pattern = bytes === 'der' ? derBase64 : patterns[encoding](bytes);
  return (text: string): Buffer | null => (pattern.test(text) ? Buffer.from(text, encoding) : null);
};
