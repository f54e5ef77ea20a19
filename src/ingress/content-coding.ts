/** How a body is packed for the way; `identity` where it is not. */
export type ContentCoding = 'identity' | 'gzip' | 'deflate';

const codings: Readonly<Record<string, ContentCoding>> = {
  '': 'identity',
  identity: 'identity',
  gzip: 'gzip',
  'x-gzip': 'gzip',
  deflate: 'deflate',
};

/** What Content-Encoding says (RFC 9110, 8.4); null for what we don't unpack, and for several on top of each other. */
export const contentCoding = (header: string | undefined): ContentCoding | null => {
  if (header === undefined) return 'identity';
  const coding = header.trim().toLowerCase();
  return Object.hasOwn(codings, coding) ? (codings[coding] ?? null) : null;
};
