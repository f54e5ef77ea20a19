import { type Body, type BodyFault, readBody } from '../read-body.ts';
import { readPath } from '../read-path.ts';
import { sliceElements } from '../slice-members.ts';
import type { Headers } from '../verify/verdict.ts';
import { decodeAttribute } from './decode-attribute.ts';
import { findEventFaults } from './find-event-faults.ts';
import { writeData } from './write-data.ts';

const mediaOf = (contentType: unknown): string =>
  typeof contentType === 'string' ? (contentType.split(';', 1)[0] ?? '').trim().toLowerCase() : '';

const refuse = (faults: readonly string[]): BodyFault => ({
  code: 'BODY_MALFORMED',
  detail: `It is not a CloudEvent: ${faults.slice(0, 5).join('; ')}`,
  faults,
});

/** Attributes of the `ce-` headers. Their names hold lower-case letters and digits only; `data…` ones are none. */
const readAttributes = (headers: Headers): { attributes: Record<string, string>; faults: string[] } => {
  const entries: [string, string][] = [];
  const faults: string[] = [];
  for (const [header, value] of Object.entries(headers)) {
    const name = /^ce-([a-z0-9]+)$/.exec(header)?.[1];
    if (name === undefined || name === 'data' || name === 'datacontenttype' || typeof value !== 'string')
      continue;
    const decoded = decodeAttribute(value);
    // A blank is percent-encoded, so this is what Node makes of a header that was sent twice; either could be meant.
    if (/^(?:id|source|type|specversion)$/.test(name) && value.includes(', '))
      faults.push(`the header ${header} was sent more than once`);
    else if (decoded === null) faults.push(`the header ${header} is not UTF-8`);
    else entries.push([name, decoded]);
  }
  return { attributes: Object.fromEntries(entries), faults };
};

/** Attributes in headers, data as the body: written as the event that would have come in structured mode. */
const readBinary = (headers: Headers, raw: Buffer): Body | BodyFault => {
  const { attributes, faults } = readAttributes(headers);
  if (Object.keys(attributes).length === 0 && faults.length === 0)
    return {
      code: 'BODY_MALFORMED',
      detail:
        'It is not a CloudEvent: there is neither a ce-id header nor a content type application/cloudevents+json',
    };
  const found = [...faults, ...findEventFaults(attributes)];
  if (found.length > 0) return refuse(found);
  const media = mediaOf(headers['content-type']);
  if (media === 'application/json' || media.endsWith('+json')) {
    const sent = raw.length === 0 ? null : readBody('json', raw);
    if (sent !== null && 'code' in sent) return sent;
  }
  const data = raw.length === 0 ? 'null' : writeData(media, raw);
  const text = `${JSON.stringify(attributes).slice(0, -1)},"data":${data}}`;
  return { text, value: { ...attributes, data: JSON.parse(data) } };
};

/** The event with what `data_base64` decodes to as its `data`; as it is where it has none. */
const withData = (text: string, event: unknown): string => {
  const binary = readPath(event, ['data_base64']);
  if (typeof binary !== 'string') return text;
  const data = writeData(mediaOf(readPath(event, ['datacontenttype'])), Buffer.from(binary, 'base64'));
  return `${text.trim().slice(0, -1)},"data":${data}}`;
};

const readStructured = (raw: Buffer): Body | BodyFault => {
  const body = readBody('json', raw);
  if ('code' in body) return body;
  const faults = findEventFaults(body.value);
  if (faults.length > 0) return refuse(faults);
  const text = withData(body.text, body.value);
  return text === body.text ? body : { text, value: JSON.parse(text) };
};

const readBatch = (raw: Buffer): Body | BodyFault => {
  const body = readBody('json', raw);
  if ('code' in body) return body;
  const events: unknown = body.value;
  if (!Array.isArray(events)) return { code: 'BODY_MALFORMED', detail: 'The batch is not a JSON array' };
  const faults = events.flatMap((event, index) =>
    findEventFaults(event).map((fault) => `[${index}]: ${fault}`),
  );
  if (faults.length > 0) return refuse(faults);
  if (!events.some((event) => Object.hasOwn(event, 'data_base64'))) return body;
  const texts = sliceElements(body.text).map(([from, to], index) =>
    withData(body.text.slice(from, to), events[index]),
  );
  const text = `[${texts.join(',')}]`;
  return { text, value: JSON.parse(text) };
};

/**
 * A CloudEvent, or a batch of them (which may be empty), as JSON in the form of structured mode, `data` verbatim. The
 * content type decides the mode, batch first; anything that is no CloudEvents type is the data of one in binary mode.
 * https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/bindings/http-protocol-binding.md#3-http-message-mapping
 */
export const readCloudEvents = (headers: Headers, raw: Buffer): Body | BodyFault => {
  const media = mediaOf(headers['content-type']);
  const format = /^application\/cloudevents(-batch)?(?:\+(.*))?$/.exec(media);
  if (format === null) return readBinary(headers, raw);
  if ((format[2] ?? 'json') !== 'json')
    return { code: 'CONTENT_TYPE_UNSUPPORTED', detail: 'CloudEvents are taken as JSON only' };
  return format[1] === undefined ? readStructured(raw) : readBatch(raw);
};
