/** A captured request as the server would see it: what Node's parser makes of the head, and the bytes of the body. */
export type CapturedRequest = {
  method: string;
  /** From its `?` on; empty where there is none. */
  query: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  /** What an operator should know of the capture itself. */
  notes: readonly string[];
};

/** Of these Node keeps the first; all others it joins. https://nodejs.org/api/http.html#messageheaders */
const single = new Set(
  'age authorization content-length content-type etag expires from host if-modified-since if-unmodified-since last-modified location max-forwards proxy-authorization referer retry-after server user-agent'.split(
    ' ',
  ),
);
/** They frame what was on the wire; the capture is framed by its file. */
const framing = new Set([
  'transfer-encoding',
  'connection',
  'expect',
  'keep-alive',
  'upgrade',
  'te',
  'trailer',
]);

/** Lines up to the blank one, and where the body begins. Line ends may be CRLF or LF. */
const splitHead = (bytes: Buffer): { lines: string[]; end: number; whole: boolean } => {
  const lines: string[] = [];
  let at = 0;
  for (;;) {
    const feed = bytes.indexOf(0x0a, at);
    const stop = feed === -1 ? bytes.length : feed;
    const line = bytes.toString('latin1', at, stop).replace(/\r$/, '');
    at = feed === -1 ? bytes.length : feed + 1;
    // RFC 9112, 2.2: blank lines before the request line are skipped.
    if (line === '' && lines.length > 0) return { lines, end: at, whole: true };
    if (line !== '') lines.push(line);
    if (feed === -1) return { lines, end: bytes.length, whole: false };
  }
};

const readHeaders = (lines: readonly string[]): { headers: Record<string, string> } | { fault: string } => {
  const headers = new Map<string, string>();
  let last = '';
  for (const [index, line] of lines.entries()) {
    if (/^[ \t]/.test(line) && last !== '') {
      headers.set(last, `${headers.get(last)} ${line.trim()}`);
      continue;
    }
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line);
    if (match === null) return { fault: `line ${index + 2} is not a header` };
    const [, name = '', value = ''] = match;
    last = name.toLowerCase();
    const old = headers.get(last);
    if (old === undefined) headers.set(last, value);
    else if (!single.has(last)) headers.set(last, `${old}${last === 'cookie' ? '; ' : ', '}${value}`);
  }
  return { headers: Object.fromEntries(headers) };
};

/** The body as its Content-Length has it; a file often holds a line end more. */
const cutBody = (rest: Buffer, announced: string | undefined): { body: Buffer; notes: string[] } => {
  if (announced === undefined || !/^\d+$/.test(announced)) return { body: rest, notes: [] };
  const length = Number(announced);
  if (rest.length === length) return { body: rest, notes: [] };
  if (rest.length > length)
    return {
      body: rest.subarray(0, length),
      notes: [
        `Content-Length is ${length}; the last ${rest.length - length} of ${rest.length} bytes are no part of the body`,
      ],
    };
  return {
    body: rest,
    notes: [
      `Content-Length is ${length}, but the file holds ${rest.length} bytes: the capture is cut, or was changed`,
    ],
  };
};

/**
 * Reads a captured HTTP request: request line, headers, a blank line, then the body's very bytes.
 * @returns the request, or what is wrong with the capture
 */
export const parseRequest = (bytes: Buffer): CapturedRequest | { fault: string } => {
  const { lines, end, whole } = splitHead(bytes);
  const start = /^([A-Z]+) (\S+)(?: HTTP\/\d(?:\.\d)?)?$/.exec(lines[0] ?? '');
  if (start === null)
    return { fault: 'the first line is not a request line such as "POST /ingress/github HTTP/1.1"' };
  const [, method = '', target = ''] = start;
  if (!/^(?:\/|https?:\/\/)/.test(target)) return { fault: 'the request line names no path' };
  const read = readHeaders(lines.slice(1));
  if ('fault' in read) return read;
  const { body, notes } = cutBody(bytes.subarray(end), read.headers['content-length']);
  if (!whole) notes.push('there is no blank line after the headers: the body is taken as empty');
  if (read.headers['transfer-encoding'] !== undefined)
    notes.push(
      'Transfer-Encoding is not looked at: the body must stand in the file as it was, without chunk sizes',
    );
  const headers = Object.fromEntries(Object.entries(read.headers).filter(([name]) => !framing.has(name)));
  headers['content-length'] = String(body.length);
  const origin = /^https?:\/\/[^/?#]*/.exec(target)?.[0] ?? '';
  const [path = '/'] = target.slice(origin.length).split('?', 1);
  const query = target.includes('?') ? target.slice(target.indexOf('?')) : '';
  return { method, path: path === '' ? '/' : path, query, headers, body, notes };
};
