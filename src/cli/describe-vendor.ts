import { createEventMatcher } from '../ingress/create-event-matcher.ts';
import { describeProof } from '../ingress/vendors/describe-proof.ts';
import type { VendorProfile } from '../ingress/vendors/profile.ts';
import { listSchemes } from '../ingress/verify/list-schemes.ts';
import { needsOf } from '../ingress/verify/needs-of.ts';
import type { Scheme } from '../ingress/verify/scheme.ts';
import { listVendorHeaders } from './list-vendor-headers.ts';

/** A vendor as `hcp-sense vendors` tells of it, from nothing but its profile. */
export type VendorDescription = ReturnType<typeof describeVendor>;

const families: Readonly<Record<Scheme['kind'], (scheme: Scheme) => string>> = {
  hmac: (scheme) => ('algorithm' in scheme ? `HMAC-${scheme.algorithm.toUpperCase()}` : 'HMAC'),
  ed25519: () => 'Ed25519',
  ecdsa: () => 'ECDSA P-256',
  token: () => 'shared token',
  hash: () => 'plain hash (weak)',
  'body-digest': () => 'body digest',
  jwt: (scheme) => ('algorithm' in scheme ? `JWT ${scheme.algorithm}` : 'JWT'),
  x509: () => 'X.509 certificate',
};

const needs = { always: 'required', binding: 'required with a fixed binding', never: 'optional' };
const plain = (text: string): string => text.replaceAll('`', '');

const describeHandshake = (handshake: VendorProfile['handshakes'][number]): string => {
  const { method = 'POST', answer, unproven, plants, confirms, token } = handshake;
  return [
    `${method} → ${answer.status}`,
    unproven === true ? 'before anything is proven' : 'once it has proven itself',
    ...(token === undefined ? [] : [`needs params.${token.param}`]),
    ...(plants === undefined ? [] : ['plants the key, while the source is pending']),
    ...(confirms === undefined ? [] : [`fetches the URL that confirms; needs params.${confirms.param}`]),
  ].join(', ');
};

/** @param url under which the vendor reaches the source, or a placeholder */
export const describeVendor = (profile: VendorProfile, url: string) => {
  const { vendor, about, proof, weakProofs = {}, params = {}, refs, states, refusals = {} } = profile;
  const findState = createEventMatcher(states);
  const needed = needsOf(proof);
  return {
    vendor,
    name: about.name,
    docs: about.docs,
    families: [...new Set(listSchemes(proof).map((scheme) => families[scheme.kind](scheme)))],
    url,
    signs_url: needed.url,
    set_up: plain(about.setUp),
    headers: listVendorHeaders(profile),
    secret: needed.secrets ? plain(about.secret ?? 'what it signs with') : null,
    params: Object.entries(params).map(([name, { needed: when, means }]) => ({
      name,
      needed: needs[when],
      means: plain(means),
    })),
    proof: plain(describeProof(proof)),
    weak_proofs: Object.entries(weakProofs).map(([name, weak]) => ({
      name,
      proof: plain(describeProof(weak)),
    })),
    events: Object.entries(refs).map(([event, ref]) => ({
      event,
      ref,
      state: ref.startsWith('binding.') ? (findState([event]) ?? null) : null,
    })),
    samples: Object.keys(profile.samples),
    account_keys: profile.accounts.map(({ key, on }) => ({ key: `${key}:<id>`, events: on ?? null })),
    batches: (profile.split ?? []).map((path) => path.join('.')),
    handshakes: profile.handshakes.map(describeHandshake),
    answer: {
      status: profile.answer?.status ?? 202,
      body: profile.answer?.body ?? '{"accepted":n}',
      within_seconds: about.answerSeconds,
      instead_of_refusals: refusals,
    },
    switches_off: about.switchesOff?.how ?? null,
    notes: (about.notes ?? []).map(plain),
    unconfirmed: (about.unconfirmed ?? []).map(plain),
  };
};
