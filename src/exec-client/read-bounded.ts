import { CodedError } from '../domain/errors.ts';

/**
 * Reads a body as UTF-8 text, at most `maxBytes` of it.
 * @throws CodedError EXEC_ANSWER_INVALID where there is more; the rest is not read.
 */
export const readBounded = async (
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<string> => {
  if (body === null) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop early cancels the stream, and with it the connection.
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) {
      throw new CodedError('EXEC_ANSWER_INVALID', `The runtime's answer is larger than ${maxBytes} bytes`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
};
