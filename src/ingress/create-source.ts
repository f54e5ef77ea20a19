import { CodedError } from '../domain/errors.ts';
import { readCloudEvents } from './cloudevents/read-cloud-events.ts';
import { createAnnouncementMapper } from './create-announcement-mapper.ts';
import { createGreeter } from './create-greeter.ts';
import { createVendorMapper } from './create-vendor-mapper.ts';
import { findSourceFaults } from './find-source-faults.ts';
import type { PlantedSecrets } from './planted-secrets.ts';
import type { RemoteKeys } from './remote-keys/remote-keys.ts';
import { schemeOf } from './scheme-of.ts';
import { createOpener } from './sealed/create-opener.ts';
import type { Source, SourceSettings, VendorSettings } from './source.ts';
import { findProfile } from './vendors/find-profile.ts';
import type { VendorProfile } from './vendors/profile.ts';
import { createVerifier } from './verify/create-verifier.ts';
import { findUnusableSecrets } from './verify/find-unusable-secrets.ts';
import { isSameText } from './verify/is-same-text.ts';
import type { Proof } from './verify/scheme.ts';
import type { Verify } from './verify/verdict.ts';

/** What a source may need beside its settings and secrets. What is left out is not there, and refuses. */
export type SourceContext = {
  /** `sources[].params`, resolved. */
  params?: Readonly<Record<string, string>>;
  /** `http.public_url` and the source's path: where its vendor reaches us. Without query. */
  url?: string | null;
  keys?: RemoteKeys;
  planted?: PlantedSecrets;
  /** What `planted` holds for this source now. */
  plantedSecret?: string | null;
};

const nothing = async () => ({ kind: 'away', why: 'this process fetches no keys' }) as const;
const noKeys: RemoteKeys = { jwks: nothing, certificate: nothing, visit: nothing };

const checkSecrets = (id: string, proof: Proof, secrets: readonly string[]): void => {
  const [unusable] = findUnusableSecrets(proof, secrets);
  if (unusable !== undefined)
    throw new CodedError('SECRET_UNUSABLE', `Source ${id}: secrets[${unusable.index}] ${unusable.fault}`);
};

/** The proof that the source asks for: the vendor's own, or a weak one that `params.scheme` names. */
const chooseProof = (id: string, profile: VendorProfile, scheme: string | undefined): Proof => {
  const weak = profile.weakProofs ?? {};
  if (scheme === undefined) return profile.proof;
  const proof = Object.hasOwn(weak, scheme) ? weak[scheme] : undefined;
  if (proof !== undefined) return proof;
  throw new CodedError(
    'CONFIG_INVALID',
    `Source ${id}: params.scheme ${scheme} is none; ${profile.vendor} has ${Object.keys(weak).join(', ')}`,
  );
};

const createVendorSource = (
  settings: VendorSettings,
  secrets: readonly string[],
  context: SourceContext,
): Source => {
  const { id } = settings;
  const { params = {}, url = null, keys = noKeys, planted } = context;
  const profile = findProfile(settings.vendor);
  let plantedSecret = context.plantedSecret ?? null;
  const [fault] = findSourceFaults(settings, {
    params: new Set(Object.keys(params)),
    hasSecret: secrets.length > 0,
    isPlanted: plantedSecret !== null,
    publicUrl: url,
  });
  if (fault !== undefined)
    throw new CodedError(
      fault.key === 'secrets' ? 'SECRET_UNUSABLE' : 'CONFIG_INVALID',
      `Source ${id}: ${fault.message}`,
    );
  const proof = chooseProof(id, profile, params.scheme);
  checkSecrets(id, proof, secrets);

  const live = () => (plantedSecret === null ? secrets : [...secrets, plantedSecret]);
  const build = (): Verify =>
    createVerifier(proof, { secrets: live(), params, url: url ?? '', split: profile.split ?? [], keys });
  let verify = build();
  const adopt = (secret: string): void => {
    plantedSecret = secret;
    verify = build();
  };

  /** Another process of ours may have taken the key. */
  const readPlanted = async (): Promise<string | null> => {
    const kept = plantedSecret ?? (await planted?.read(id)) ?? null;
    if (kept !== null && kept !== plantedSecret) adopt(kept);
    return kept;
  };
  const plant = async (secret: string): Promise<boolean> => {
    if ((await readPlanted()) === null && (await planted?.plant(id, secret)) === true) adopt(secret);
    const kept = await readPlanted();
    return kept !== null && isSameText(kept, secret);
  };
  const plants = planted !== undefined && profile.handshakes.some((one) => one.plants !== undefined);
  const verifyWithPlanted: Verify = async (delivery) => {
    const verdict = await verify(delivery);
    if (verdict.ok || plantedSecret !== null || (await readPlanted()) === null) return verdict;
    return verify(delivery);
  };

  return {
    id,
    methods: new Set(['POST', ...profile.handshakes.map(({ method }) => method ?? 'POST')]),
    takes: profile.takes,
    read: profile.reads === 'cloudevents' ? readCloudEvents : null,
    verify: plants ? verifyWithPlanted : (delivery) => verify(delivery),
    greet: createGreeter({
      handshakes: profile.handshakes,
      params,
      newestSecret: () => live()[0] ?? null,
      plant: plants && settings.pending === true ? plant : null,
      visit: keys.visit,
    }),
    map: createVendorMapper({
      source: id,
      pack: settings.pack,
      profile,
      refs: settings.refs ?? profile.refs,
      binding: settings.binding ?? null,
      workspace: settings.cwd ?? null,
      open: createOpener(id, profile.sealed, params),
    }),
    answer: profile.answer,
    refusals: profile.refusals ?? {},
  };
};

/**
 * Settles at start everything about one source that no delivery changes.
 *
 * @param secrets its live secrets, resolved; any may have signed a delivery
 * @throws CodedError SECRET_UNUSABLE by the source's name where there is none or one can't be a key: nothing is ever
 *   accepted because nothing was configured. CONFIG_INVALID for a vendor we do not know, for what its vendor needs and the
 *   source lacks, or a webhook source without a pack.
 */
export const createSource = (
  settings: SourceSettings,
  secrets: readonly string[],
  context: SourceContext = {},
): Source => {
  if (settings.type === 'vendor') return createVendorSource(settings, secrets, context);
  const proof = schemeOf(settings);
  if (secrets.length === 0) throw new CodedError('SECRET_UNUSABLE', `Source ${settings.id} has no secret`);
  checkSecrets(settings.id, proof, secrets);
  const packs = settings.packs ?? (settings.pack === undefined ? [] : [settings.pack]);
  if (packs.length === 0)
    throw new CodedError('CONFIG_INVALID', `Source ${settings.id} names no pack: set pack or packs`);
  return {
    id: settings.id,
    methods: new Set(['POST']),
    takes: ['json'],
    read: null,
    verify: createVerifier(proof, { secrets, params: {}, url: '', split: [], keys: noKeys }),
    greet: { stages: new Set(), matches: () => false, at: () => null },
    map: createAnnouncementMapper(
      {
        source: settings.id,
        binding: settings.binding ?? null,
        workspace: settings.cwd ?? null,
        packs,
        namesPack: settings.packs !== undefined,
      },
      settings.signature === undefined ? 'webhook-id' : null,
    ),
    answer: null,
    refusals: {},
  };
};
