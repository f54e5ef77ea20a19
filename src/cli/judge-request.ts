import { X509Certificate } from 'node:crypto';
import type { JSONWebKeySet } from 'jose';
import type { Announcement } from '../domain/announcement.ts';
import { CodedError } from '../domain/errors.ts';
import { createIngressRoutes, type DeliveryFact } from '../ingress/create-ingress-routes.ts';
import { createServer } from '../ingress/create-server.ts';
import { createSource } from '../ingress/create-source.ts';
import { createRemoteKeys } from '../ingress/remote-keys/create-remote-keys.ts';
import type { RemoteKeys } from '../ingress/remote-keys/remote-keys.ts';
import type { Source } from '../ingress/source.ts';
import { findProfile } from '../ingress/vendors/find-profile.ts';
import type { Delivery, Verdict } from '../ingress/verify/verdict.ts';
import { createLogger } from '../observe/create-logger.ts';
import type { CapturedRequest } from './parse-request.ts';

export type Judging = {
  vendor: string;
  secrets: readonly string[];
  params: Readonly<Record<string, string>>;
  /** Under which the vendor knows us, without query. */
  url: string | null;
  /** Replaces the profile's own mapping. */
  refs: Readonly<Record<string, string>> | null;
  /** For which it is judged; milliseconds since 1970. */
  now: number;
};

export type Judgement = {
  /** What the server would answer. */
  answer: { status: number; headers: Readonly<Record<string, string>>; body: string };
  /** Null where it never came to a proof. */
  verdict: Verdict | null;
  /** Code of a refusal; null where it is taken. */
  code: string | null;
  isHandshake: boolean;
  announcements: readonly Announcement[];
  /** Items of a batch that did not prove themselves. */
  unproven: number;
  /** URLs that the server would fetch for their effect; none is fetched here. */
  visits: readonly string[];
  /** As it came to its proof; null where it never did. */
  delivery: Delivery | null;
  /** Whether the delivery would verify with another body or at another time. */
  wouldVerify: (change: { raw?: Buffer; now?: number }) => Promise<boolean>;
};

const bodyLimit = 64 * 1024 * 1024;

const parseKeys = (params: Readonly<Record<string, string>>) => {
  const { jwks, certificate } = params;
  try {
    return {
      jwks: jwks === undefined ? null : (JSON.parse(jwks) as JSONWebKeySet),
      certificate: certificate === undefined ? null : new X509Certificate(certificate),
    };
  } catch (cause) {
    throw new CodedError('USAGE', '--param jwks or certificate is none', { cause });
  }
};

/** Keys as the caller gives them, else as the server would get them. Nothing is fetched for its effect. */
const createKeys = (params: Readonly<Record<string, string>>, now: number, visits: string[]): RemoteKeys => {
  const given = parseKeys(params);
  const remote = createRemoteKeys({ fetch, clock: () => now });
  return {
    jwks: async (url, unknown) =>
      given.jwks === null ? remote.jwks(url, unknown) : { kind: 'got', value: given.jwks },
    certificate: async (url) =>
      given.certificate === null ? remote.certificate(url) : { kind: 'got', value: given.certificate },
    async visit(url) {
      visits.push(url);
      return { kind: 'got', value: true };
    },
  };
};

/** The source as the server would make it; one whose vendor plants its key awaits it where no secret is given. */
const makeSource = ({ vendor, secrets, params, url, refs }: Judging, keys: RemoteKeys): Source => {
  const profile = findProfile(vendor);
  const known = Object.entries(params).filter(
    ([name]) => Object.hasOwn(profile.params ?? {}, name) || (name !== 'jwks' && name !== 'certificate'),
  );
  let planted: string | null = null;
  return createSource(
    {
      id: vendor,
      type: 'vendor',
      vendor,
      pack: 'PACK',
      pending: secrets.length === 0 && profile.handshakes.some(({ plants }) => plants !== undefined),
      ...(refs === null ? {} : { refs }),
    },
    secrets,
    {
      params: Object.fromEntries(known),
      url,
      keys,
      planted: {
        read: async () => planted,
        async plant(_source, secret) {
          planted ??= secret;
          return planted === secret;
        },
      },
    },
  );
};

/**
 * Hands a captured request to the server's own routes, in this process and without a network, for a source that has
 * just what is given.
 *
 * @throws CodedError as `createSource` does, where what is given can't make a source of this vendor
 */
export const judgeRequest = async (request: CapturedRequest, judging: Judging): Promise<Judgement> => {
  const visits: string[] = [];
  const source = makeSource(judging, createKeys(judging.params, judging.now, visits));
  const announcements: Announcement[] = [];
  const seen: {
    verdict: Verdict | null;
    delivery: Delivery | null;
    greeted: boolean;
    fact: DeliveryFact | null;
  } = {
    verdict: null,
    delivery: null,
    greeted: false,
    fact: null,
  };
  const watched: Source = {
    ...source,
    async verify(delivery) {
      seen.delivery = delivery;
      seen.verdict = await source.verify(delivery);
      return seen.verdict;
    },
    greet: {
      ...source.greet,
      at(stage, method, view) {
        const greeting = source.greet.at(stage, method, view);
        seen.greeted ||= greeting !== null;
        return greeting;
      },
    },
  };

  const inject = async () => {
    const log = createLogger('silent');
    const app = createServer({ bodyLimit, log });
    try {
      await app.register(
        createIngressRoutes({
          sources: new Map([[source.id, watched]]),
          enqueue: async (batch) => {
            announcements.push(...batch);
          },
          clock: () => judging.now,
          log,
          onDelivery: (fact) => {
            seen.fact = fact;
          },
          isStopping: () => false,
        }),
      );
      return await app.inject({
        method: request.method as 'POST',
        url: `/ingress/${source.id}${request.query}`,
        headers: request.headers,
        payload: request.body,
      });
    } finally {
      await app.close();
    }
  };

  const { statusCode, headers, body } = await inject();
  const { verdict, delivery, greeted, fact } = seen;
  return {
    answer: {
      status: statusCode,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      body,
    },
    verdict,
    code: fact?.code ?? null,
    isHandshake: greeted,
    announcements,
    unproven: fact?.unproven ?? 0,
    visits,
    delivery,
    wouldVerify: async (change) => delivery !== null && (await source.verify({ ...delivery, ...change })).ok,
  };
};
