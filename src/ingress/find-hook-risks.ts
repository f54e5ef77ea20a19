import { findProfile } from './vendors/find-profile.ts';
import { needsOf } from './verify/needs-of.ts';

/** What of a vendor's source decides which answers it gives; the configuration's own type satisfies it. */
type Settings = {
  id: string;
  vendor: string;
  pending?: boolean | undefined;
  paused?: boolean | undefined;
  networks?: readonly string[] | undefined;
  rate_limit?: unknown;
  refs?: Readonly<Record<string, string>> | undefined;
  silence_after?: unknown;
};

type Risk = { kind: '4xx' | '5xx'; why: string };

const listRisks = (settings: Settings, publicUrl: string | null): Risk[] => {
  const profile = findProfile(settings.vendor);
  const risks: (Risk | false)[] = [
    settings.pending === true && {
      kind: '4xx',
      why: 'it is pending: until its vendor has planted the key every delivery is answered 401; take pending out once it has',
    },
    settings.paused === true && { kind: '5xx', why: 'it is paused: every delivery is answered 503' },
    needsOf(profile.proof).url &&
      publicUrl === null && {
        kind: '4xx',
        why: 'http.public_url is not set, and the vendor signs the URL: every delivery is answered 401',
      },
    (settings.networks?.length ?? 0) > 0 && {
      kind: '4xx',
      why: "it is called from some networks only: where the vendor's addresses change, deliveries are answered 403",
    },
    settings.rate_limit !== undefined && {
      kind: '4xx',
      why: 'its rate is limited: what comes faster is answered 429',
    },
  ];
  return risks.filter((risk) => risk !== false);
};

/** A refusal that its sender takes for a yes: with a wrong secret all is lost, and neither side is told. */
const refusesSilently = (vendor: string): boolean => {
  const { SIGNATURE_MISMATCH: status = 401 } = findProfile(vendor).refusals ?? {};
  return status < 300;
};

/**
 * Where a configuration would have a vendor switch its hook off, because it answers what that vendor takes for a reason, or
 * would lose deliveries unseen; each as a sentence. From the profile's own word on which answers those are
 * (`About.switchesOff`, `refusals`).
 *
 * @param publicUrl `http.public_url`
 */
export const findHookRisks = (settings: Settings, publicUrl: string | null): string[] => {
  const { about } = findProfile(settings.vendor);
  const { switchesOff } = about;
  const silent =
    refusesSilently(settings.vendor) && settings.silence_after === undefined
      ? [
          `source ${settings.id}: its vendor wants even what is refused answered as if it were taken, so a secret that is not the vendor's loses everything and shows nowhere there; set silence_after, so that /readyz shows it`,
        ]
      : [];
  if (switchesOff === undefined) return silent;
  return listRisks(settings, publicUrl)
    .filter(({ kind }) => switchesOff.on.includes(kind))
    .map(({ why }) => `source ${settings.id}: ${why}. ${switchesOff.how}`)
    .concat(silent);
};
