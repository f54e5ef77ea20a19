import { createHmac } from 'node:crypto';
import type { ErrorCode } from '../domain/errors.ts';
import { asId, holds, readPlace, type View } from './read-place.ts';
import type { Answer, Handshake, Piece } from './vendors/profile.ts';
import { isSameText } from './verify/is-same-text.ts';

/** An answer that needs no record, or that a handshake is refused. */
export type Greeting =
  | {
      kind: 'greeted';
      status: number;
      type: string | null;
      headers: Readonly<Record<string, string>>;
      body: string;
    }
  | { kind: 'refused'; code: ErrorCode; detail: string };

/**
 * When handshakes are looked for: before anything is proven by the head of the request or by the body too, and once the
 * delivery is proven likewise.
 */
export type Stage = 'open-head' | 'open-body' | 'proven-head' | 'proven-body';

/** The answer where the request is a handshake of this stage, else null. A promise only where one takes an effect. */
export type Greet = {
  /** Stages for which this source has any handshake. */
  stages: ReadonlySet<Stage>;
  /** Whether a request is a handshake, as far as its conditions say; takes no effect. */
  matches: (stage: Stage, method: string, view: View) => boolean;
  at: (stage: Stage, method: string, view: View) => Greeting | Promise<Greeting> | null;
};

type Options = {
  handshakes: readonly Handshake[];
  params: Readonly<Record<string, string>>;
  /** Null while the source has none. */
  newestSecret: () => string | null;
  /** Null unless the source is pending. Resolves to whether the source's planted secret now is this one. */
  plant: ((secret: string) => Promise<boolean>) | null;
  visit: (url: string) => Promise<{ kind: 'got' | 'refused' | 'away' }>;
};

/** What a key or an echoed text may be: visible, and no longer than any vendor's. */
const echoable = /^[\x20-\x7e]{1,1024}$/;

const readsBody = (handshake: Handshake): boolean =>
  handshake.when.some(({ at }) => 'json' in at || 'whole' in at);

const stageOf = (handshake: Handshake): Stage =>
  `${handshake.unproven === true ? 'open' : 'proven'}-${readsBody(handshake) ? 'body' : 'head'}`;

const refuse = (detail: string): Greeting => ({ kind: 'refused', code: 'HANDSHAKE_REFUSED', detail });

/** Makes what answers the handshakes of one source; it needs neither queue nor database and keeps no record. */
export const createGreeter = ({ handshakes, params, newestSecret, plant, visit }: Options): Greet => {
  const writePiece = (piece: Piece, view: View): string | null => {
    if ('param' in piece) return params[piece.param] ?? piece.or;
    if (!('hmacOf' in piece)) return asId(readPlace(piece, view));
    const text = readPlace(piece.hmacOf, view);
    const secret = newestSecret();
    if (typeof text !== 'string' || secret === null || !piece.only.test(text)) return null;
    return `${piece.prefix ?? ''}${createHmac('sha256', secret).update(text).digest(piece.encoding)}`;
  };

  const writeAll = (pieces: Readonly<Record<string, Piece>>, view: View): Record<string, string> | null => {
    const written: Record<string, string> = {};
    for (const [name, piece] of Object.entries(pieces)) {
      const text = writePiece(piece, view);
      if (text === null) return null;
      written[name] = text;
    }
    return written;
  };

  /** Null where what should be echoed is not there or of another shape: then it is none of this vendor's handshakes. */
  const write = ({ status, body, type, headers = {} }: Answer, view: View): Greeting | null => {
    const head = writeAll(headers, view);
    if (head === null || !Object.values(head).every((value) => echoable.test(value))) return null;
    const answer = { kind: 'greeted', status, headers: head } as const;
    if (body === undefined) return { ...answer, type: type ?? null, body: '' };
    if ('object' in body) {
      const members = writeAll(body.object, view);
      return members === null
        ? null
        : { ...answer, type: type ?? 'application/json; charset=utf-8', body: JSON.stringify(members) };
    }
    const text = writePiece(body, view);
    return text === null ? null : { ...answer, type: type ?? 'text/plain; charset=utf-8', body: text };
  };

  const answer = (handshake: Handshake, view: View): Greeting | Promise<Greeting> | null => {
    const { token, plants, confirms } = handshake;
    if (token !== undefined) {
      const given = readPlace(token.at, view);
      const expected = params[token.param];
      if (token.among === true) {
        if (typeof given !== 'string' || expected?.split(/\s+/).includes(given) !== true) return null;
      } else if (expected === undefined || typeof given !== 'string' || !isSameText(given, expected))
        return refuse(`What it names is not the param ${token.param} of this source`);
    }
    const greeting = write(handshake.answer, view);
    if (greeting === null) return null;
    if (plants !== undefined) {
      const secret = readPlace(plants, view);
      if (plant === null || typeof secret !== 'string' || !echoable.test(secret)) return null;
      return plant(secret).then((planted) =>
        planted ? greeting : refuse('Another key was planted already; it is never replaced'),
      );
    }
    if (confirms !== undefined) {
      const url = readPlace(confirms.at, view);
      if (params[confirms.param] === undefined || typeof url !== 'string') return null;
      if (!confirms.url.test(url)) return refuse("The URL to confirm is not on the vendor's host");
      return visit(url).then(({ kind }) =>
        kind === 'got'
          ? greeting
          : {
              kind: 'refused',
              code: 'CONFIRMATION_FAILED',
              detail: 'The URL that confirms did not answer well',
            },
      );
    }
    return greeting;
  };

  const staged = handshakes
    // An unproven key is taken, and the body read for it, only while one is awaited.
    .filter(({ plants }) => plants === undefined || plant !== null)
    .map((handshake) => ({ handshake, stage: stageOf(handshake) }));

  const find = (stage: Stage, method: string, view: View): Handshake[] =>
    staged.flatMap(({ handshake, stage: own }) =>
      own === stage && (handshake.method ?? 'POST') === method && holds(handshake.when, view)
        ? [handshake]
        : [],
    );

  return {
    stages: new Set(staged.map(({ stage }) => stage)),
    matches: (stage, method, view) => find(stage, method, view).length > 0,
    at(stage, method, view) {
      for (const handshake of find(stage, method, view)) {
        const greeting = answer(handshake, view);
        if (greeting !== null) return greeting;
      }
      return null;
    },
  };
};
