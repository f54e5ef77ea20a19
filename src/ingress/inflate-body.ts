import { promisify } from 'node:util';
import { gunzip, inflate, inflateRaw } from 'node:zlib';
import type { ContentCoding } from './content-coding.ts';
import type { BodyFault } from './read-body.ts';

const unpack = { gunzip: promisify(gunzip), inflate: promisify(inflate), inflateRaw: promisify(inflateRaw) };

/** `deflate` means zlib's format (RFC 1950); some senders leave its two bytes of head away. */
const unpackerOf = (coding: 'gzip' | 'deflate', packed: Buffer) => {
  if (coding === 'gzip') return unpack.gunzip;
  const [head = 0, flags = 0] = packed;
  return (head & 0x0f) === 8 && (head * 256 + flags) % 31 === 0 ? unpack.inflate : unpack.inflateRaw;
};

/**
 * Unpacks a body, off the event loop. It never makes more than `limit` bytes, however small the packed ones are.
 * @returns the bytes, or why there are none
 */
export const inflateBody = async (
  coding: Exclude<ContentCoding, 'identity'>,
  packed: Buffer,
  limit: number,
): Promise<Buffer | BodyFault> => {
  try {
    return await unpackerOf(coding, packed)(packed, { maxOutputLength: limit });
  } catch (error) {
    if (Reflect.get(Object(error), 'code') === 'ERR_BUFFER_TOO_LARGE')
      return {
        code: 'BODY_TOO_LARGE',
        detail: 'The body is larger than this source takes once it is unpacked',
      };
    return { code: 'BODY_MALFORMED', detail: `The body is not well-formed ${coding}` };
  }
};
