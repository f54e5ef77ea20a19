import type { SourceSettings } from './source.ts';
import { findProfile } from './vendors/find-profile.ts';
import type { Param } from './vendors/profile.ts';
import { needsOf } from './verify/needs-of.ts';

type Settings = Extract<SourceSettings, { type: 'vendor' }>;
type Given = {
  params: ReadonlySet<string>;
  hasSecret: boolean;
  /** Whether its vendor has planted one; null where that is not known yet. */
  isPlanted: boolean | null;
  /** `http.public_url`. */
  publicUrl: string | null;
};

const findParam = (known: Readonly<Record<string, Param>>, name: string): Param | undefined => {
  if (Object.hasOwn(known, name)) return known[name];
  return Object.entries(known).find(
    ([pattern]) =>
      pattern.endsWith('*') && name.length >= pattern.length && name.startsWith(pattern.slice(0, -1)),
  )?.[1];
};

/** What a source of a vendor lacks, each with the key of the source that it is about; for the configuration and for the start. */
export const findSourceFaults = (
  settings: Settings,
  { params, hasSecret, isPlanted, publicUrl }: Given,
): { key: string; message: string }[] => {
  const profile = findProfile(settings.vendor);
  const known = profile.params ?? {};
  const needs = needsOf(profile.proof);
  const plants = profile.handshakes.some((handshake) => handshake.plants !== undefined);
  const mayBePlanted = plants && (settings.pending === true || isPlanted !== false);
  const faults: { key: string; message: string }[] = [];
  const list = Object.entries(known)
    .map(([name, { means }]) => `${name} (${means})`)
    .join(', ');

  if (needs.secrets && !hasSecret && !mayBePlanted)
    faults.push({
      key: 'secrets',
      message: `${profile.vendor} needs a secret: ${profile.about.secret ?? 'what it signs with'}${plants ? '; or pending: true while it has yet to send it' : ''}`,
    });
  // A pending source takes its handshake and nothing else: what could prove a delivery has yet to come.
  if (settings.pending === true && !plants)
    faults.push({ key: 'pending', message: `${profile.vendor} plants no key: take pending out` });
  if (settings.pending === true && plants && hasSecret)
    faults.push({ key: 'secrets', message: 'a pending source awaits its secret: leave secrets out' });
  for (const name of params) {
    const param = findParam(known, name);
    if (param?.with !== undefined && !params.has(param.with))
      faults.push({
        key: 'params',
        message: `params.${name} needs params.${param.with} beside it: ${known[param.with]?.means ?? ''}`,
      });
    if (param === undefined)
      faults.push({
        key: 'params',
        message: `${profile.vendor} has no param ${name}; ${list === '' ? 'it has none' : `it has ${list}`}`,
      });
  }
  for (const [name, { needed, means }] of Object.entries(known)) {
    if (params.has(name) || needed === 'never' || (needed === 'binding' && settings.binding === undefined))
      continue;
    const why = needed === 'binding' ? ' where the source has a fixed binding' : '';
    faults.push({ key: 'params', message: `${profile.vendor} needs params.${name}${why}: ${means}` });
  }
  if (needs.url && publicUrl === null)
    faults.push({
      key: 'vendor',
      message: `${profile.vendor} signs the URL that it calls: set http.public_url, under which it reaches us`,
    });
  return faults;
};
