import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { z } from 'zod';
import type { Announcement } from '../domain/announcement.ts';
import { CodedError, type ErrorCode } from '../domain/errors.ts';
import type { Packs } from '../domain/pack.ts';
import type { Answer } from './answer.ts';
import type { Caller } from './caller.ts';
import { chooseMedia } from './choose-media.ts';
import type { InboxBell } from './create-inbox-bell.ts';

/** What handlers work with. */
export type ApiParts = {
  pool: Pool;
  packs: Packs;
  /** Tenant of Principals that name none. */
  tenant: string;
  /** Puts an announcement into the queue; resolves when it is in. */
  replay: (announcement: Announcement) => Promise<void>;
  bell: InboxBell;
  log: Logger;
};

/** What came in, before it is checked. */
export type RawRequest = { params: unknown; query: unknown; body: unknown };

/** Who asks, and a signal that is given when they are gone. */
export type CallContext = { caller: Caller; signal: AbortSignal };

/** A form of the answer beside JSON, for whoever asks for it with `Accept`. */
export type Form = { media: string; answers: z.ZodType };

/** One thing the API does: shapes and words for the documents, and a handler. Where it stands is in `routes.ts`. */
export type Endpoint = {
  summary: string;
  description?: string | undefined;
  params?: z.ZodType | undefined;
  query?: z.ZodType | undefined;
  body?: z.ZodType | undefined;
  answers: z.ZodType;
  /** Content type of the answer; JSON if left out. */
  media?: string | undefined;
  /** Other forms of the answer; the handler is told which one is wanted. */
  forms?: readonly Form[] | undefined;
  codes: readonly ErrorCode[];
  /** @throws NOT_ACCEPTABLE, REQUEST_INVALID with every fault of the request, or what the handler throws */
  run: (
    parts: ApiParts,
    raw: RawRequest,
    context: CallContext & { accept: string | undefined },
  ) => Promise<Answer>;
};

type Spec<Params, Query, Body> = Omit<Endpoint, 'params' | 'query' | 'body' | 'run'> & {
  params?: z.ZodType<Params>;
  query?: z.ZodType<Query>;
  body?: z.ZodType<Body>;
  handle: (
    parts: ApiParts,
    request: { params: Params; query: Query; body: Body; media: string } & CallContext,
  ) => Promise<Answer>;
};

const json = 'application/json';

/** @throws NOT_ACCEPTABLE naming what there is; a route of one form answers whatever is asked for */
const chooseForm = (forms: readonly Form[], accept: string | undefined): string => {
  const offers = [json, ...forms.map(({ media }) => media)] as const;
  const media = forms.length === 0 ? json : chooseMedia(accept, offers);
  if (media === null) throw new CodedError('NOT_ACCEPTABLE', `This route answers ${offers.join(', ')}`);
  return media;
};

/** Makes an endpoint whose handler gets what its shapes say. */
export const endpoint = <Params = undefined, Query = undefined, Body = undefined>(
  spec: Spec<Params, Query, Body>,
): Endpoint => ({
  ...spec,
  run: async (parts, raw, { accept, ...context }) => {
    // Before anything is done: what is leased and then refused would be lost to its leaser.
    const media = chooseForm(spec.forms ?? [], accept);
    const faults: string[] = [];
    const read = <T>(where: string, shape: z.ZodType<T> | undefined, value: unknown): T | undefined => {
      const parsed = shape?.safeParse(value);
      if (parsed?.success === false) {
        for (const { path, message } of parsed.error.issues) {
          faults.push(`${[where, ...path.map(String)].join('.')}: ${message}`);
        }
      }
      return parsed?.data;
    };
    const request = {
      params: read('params', spec.params, raw.params),
      query: read('query', spec.query, raw.query),
      body: read('body', spec.body, raw.body),
    };
    if (faults.length > 0) throw new CodedError('REQUEST_INVALID', faults.join('; '), { faults });
    // Each is the output of its shape; where there is no shape its type is undefined, and so is the value.
    const shaped = request as { params: Params; query: Query; body: Body };
    return spec.handle(parts, { ...shaped, media, ...context });
  },
});
