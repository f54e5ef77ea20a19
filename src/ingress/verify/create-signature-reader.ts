import { readPath } from '../read-path.ts';
import { asId } from '../read-place.ts';
import { no } from './no.ts';
import { readHeader } from './read-header.ts';
import { readSigningTime } from './read-signing-time.ts';
import type { SignedBytes } from './scheme.ts';
import type { Delivery, Verdict } from './verdict.ts';

/** More signatures than a sender under rotation would send; each costs one comparison per secret. */
const maxSignatures = 16;

type Found = { value: string } | { why: string };
export type SignaturesRead = { ok: true; candidates: readonly string[]; timestamp: string };

const readJson = (delivery: Delivery, path: readonly string[]): Found => {
  const body = delivery.body();
  const text = 'value' in body ? asId(readPath(body.value, path)) : null;
  return text === null || text === '' ? { why: `The body holds no ${path.join('.')}` } : { value: text };
};

const readNumbered = (delivery: Delivery, pattern: RegExp): string[] =>
  Object.keys(delivery.headers)
    .filter((name) => pattern.test(name))
    .sort()
    .flatMap((name) => {
      const read = readHeader(delivery.headers, name);
      return 'value' in read ? [read.value] : [];
    });

/** Makes what finds the signatures of a delivery, without their prefix, and judges its signing time. */
export const createSignatureReader = ({ signature, timestamp, signed }: SignedBytes) => {
  const { separator, prefix = '' } = signature;
  const where =
    'header' in signature
      ? `The header ${signature.header}`
      : 'json' in signature
        ? `The body's ${signature.json.join('.')}`
        : 'No header of the signature';
  const needed = signed.flatMap((part) =>
    typeof part === 'object' && 'header' in part ? [part.header] : [],
  );

  const readItems = (delivery: Delivery): readonly string[] | { why: string } => {
    if ('headers' in signature) {
      const values = readNumbered(delivery, signature.headers);
      return values.length > 0 ? values : { why: `No header matches ${signature.headers.source}` };
    }
    const read =
      'header' in signature
        ? readHeader(delivery.headers, signature.header)
        : readJson(delivery, signature.json);
    if ('why' in read) return read;
    return separator === undefined ? [read.value] : read.value.split(separator);
  };

  const readTimestamp = (delivery: Delivery, items: readonly string[]): Found => {
    if (timestamp === undefined) return { value: '' };
    if ('header' in timestamp) return readHeader(delivery.headers, timestamp.header);
    if ('json' in timestamp) return readJson(delivery, timestamp.json);
    const found = items.filter((item) => item.startsWith(timestamp.item));
    // Two times in one header: which one the sender meant would be our guess.
    if (found.length !== 1) return { why: `${where} holds ${found.length} times ${timestamp.item}` };
    return { value: (found[0] ?? '').slice(timestamp.item.length) };
  };

  return (delivery: Delivery): SignaturesRead | (Verdict & { ok: false }) => {
    const items = readItems(delivery);
    if ('why' in items) return no('SIGNATURE_MISSING', 'presence', items.why);
    for (const name of needed)
      if (!delivery.headers[name])
        return no('SIGNATURE_MISSING', 'presence', `The header ${name} is missing`);
    const time = readTimestamp(delivery, items);
    if ('why' in time) return no('SIGNATURE_MISSING', 'presence', time.why);
    if (timestamp !== undefined) {
      // Time first, so that a refusal for time says time.
      const judged = readSigningTime(time.value, timestamp, delivery.now);
      if (!judged.ok)
        return no(judged.outside ? 'TIMESTAMP_OUTSIDE_WINDOW' : 'SIGNATURE_MISSING', 'time', judged.why);
    }
    const candidates = items
      .filter((item) => item.startsWith(prefix))
      .slice(0, maxSignatures)
      .map((item) => item.slice(prefix.length));
    if (candidates.length === 0)
      return no('SIGNATURE_MISSING', 'presence', `${where} holds no signature that starts with ${prefix}`);
    return { ok: true, candidates, timestamp: time.value };
  };
};
