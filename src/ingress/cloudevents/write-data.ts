import { readBody } from '../read-body.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

const decodeText = (bytes: Buffer): string | null => {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
};

const isJson = (media: string): boolean =>
  media === '' || media === 'application/json' || media.endsWith('+json');

/**
 * The payload of an event that does not stand in JSON already, as JSON text: JSON is taken as it is, text becomes a
 * JSON text, everything else `{"data_base64":"…"}`.
 *
 * @param media its content type without parameters, lower case; empty where none is given, which CloudEvents take as JSON
 */
export const writeData = (media: string, bytes: Buffer): string => {
  if (isJson(media)) {
    const body = readBody('json', bytes);
    if ('value' in body) return body.text;
  }
  if (media.startsWith('text/') || media === 'application/xml' || media.endsWith('+xml')) {
    const text = decodeText(bytes);
    if (text !== null) return JSON.stringify(text);
  }
  return `{"data_base64":"${bytes.toString('base64')}"}`;
};
