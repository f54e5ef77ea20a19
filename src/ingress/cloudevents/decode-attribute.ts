// Fatal: another character in the place of a broken one would be another id. A byte order mark is part of a value.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * An attribute as its `ce-` header carries it: percent-encoded UTF-8, in quotes where older senders put it; null where
 * that is not UTF-8. Node hands bytes out as Latin-1.
 * https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md#3132-http-header-values
 */
export const decodeAttribute = (header: string): string | null => {
  const isQuoted = /^"(?:[^"\\]|\\.)*"$/.test(header);
  const plain = isQuoted ? header.slice(1, -1).replace(/\\(.)/g, '$1') : header;
  const bytes = plain.replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return null;
  }
};
